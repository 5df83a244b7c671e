/**
 * A transport within one process, for tests: simulates the failures of networks, and checks that its user follows the
 * rules of {@link io.rocketbufs.rocketnet}.
 */
package io.rocketbufs.rocketnet.loopback;
