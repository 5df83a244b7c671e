/**
 * The operator page of a relay or an edge, which shows its state, recent history, streams, and connected edges or
 * viewers.
 */
package io.rocketbufs.livestream.page;
