/** The relay: a buffer for each stream, filled by its source and replicated to every edge. */
package io.rocketbufs.livestream.relay;
