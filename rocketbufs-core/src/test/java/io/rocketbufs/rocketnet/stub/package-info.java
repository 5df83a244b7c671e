/**
 * A transport without a network, for tests that simulate the peer and determine when the worker runs. The transport is
 * deterministic, uses one thread, and allocates nothing.
 */
package io.rocketbufs.rocketnet.stub;
