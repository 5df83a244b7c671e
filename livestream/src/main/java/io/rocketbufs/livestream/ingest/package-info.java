/**
 * The ingest, to which sources push streams: files or endless bodies over HTTPS, or a transport stream directly over
 * TLS.
 */
package io.rocketbufs.livestream.ingest;
