/**
 * A transport that ends at itself: tests play the peer, and say when the worker works. Deterministic, on one thread,
 * and without allocation.
 */
package io.rocketbufs.rocketnet.stub;
