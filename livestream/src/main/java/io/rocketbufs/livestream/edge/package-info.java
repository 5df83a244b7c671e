/**
 * The edge, which receives chunks from the relay and serves them to viewers over HTTPS directly from the memory in
 * which they arrived.
 */
package io.rocketbufs.livestream.edge;
