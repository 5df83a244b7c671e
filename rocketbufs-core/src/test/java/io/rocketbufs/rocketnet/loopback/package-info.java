/**
 * A transport within one process, for tests: breaks on purpose what networks break by chance, and checks that its user
 * keeps the rules of {@link io.rocketbufs.rocketnet}.
 */
package io.rocketbufs.rocketnet.loopback;
