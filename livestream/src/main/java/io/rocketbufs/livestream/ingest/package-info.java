/**
 * The ingest server, which receives the streams that sources push, either as files or endless bodies over HTTPS or as
 * MPEG-TS directly over TLS.
 */
package io.rocketbufs.livestream.ingest;
