/**
 * The relay, which has one buffer for each stream, fills it with the source's data, and replicates it to every edge.
 */
package io.rocketbufs.livestream.relay;
