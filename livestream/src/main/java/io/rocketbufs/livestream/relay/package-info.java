/** The relay, which writes each source's data into a buffer and replicates that buffer to every edge. */
package io.rocketbufs.livestream.relay;
