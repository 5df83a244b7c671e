/**
 * A transport within one process, for tests. It simulates network failures, and checks that its users follow the rules
 * of {@link io.rocketbufs.rocketnet}.
 */
package io.rocketbufs.rocketnet.loopback;
