package io.rocketbufs.session;

import io.rocketbufs.link.Heartbeat;

/**
 * The time limits of a connection.
 *
 * @param heartbeat times of the heartbeat and the greeting
 * @param closeMs how long a graceful close may take, in milliseconds
 * @param writeMs how long writes may occupy memory that a producer needs while none of them completes, in milliseconds
 */
public record SessionSettings(Heartbeat.Times heartbeat, long closeMs, long writeMs) {}
