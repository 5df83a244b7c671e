/** Where sources push streams to: files or endless bodies over HTTPS, or a transport stream straight over TLS. */
package io.rocketbufs.livestream.ingest;
