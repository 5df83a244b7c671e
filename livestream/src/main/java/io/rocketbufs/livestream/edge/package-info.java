/**
 * The edge, which receives chunks from the relay and serves them to viewers over HTTPS from the memory where they
 * arrived.
 */
package io.rocketbufs.livestream.edge;
