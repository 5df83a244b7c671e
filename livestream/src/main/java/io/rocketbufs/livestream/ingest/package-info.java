/**
 * The ingest, to which sources push streams: as files or endless bodies over HTTPS, or as MPEG-TS directly over TLS.
 */
package io.rocketbufs.livestream.ingest;
