/**
 * The page for operators of a relay or an edge: its state, the recent past, streams, and connected edges or viewers.
 */
package io.rocketbufs.livestream.page;
