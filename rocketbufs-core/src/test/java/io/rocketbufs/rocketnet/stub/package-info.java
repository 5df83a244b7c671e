/**
 * A transport without a network: tests simulate the peer, and determine when the worker runs. Deterministic, on one
 * thread, and without allocation.
 */
package io.rocketbufs.rocketnet.stub;
