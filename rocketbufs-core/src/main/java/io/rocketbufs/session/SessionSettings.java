package io.rocketbufs.session;

import io.rocketbufs.link.Heartbeat;

/**
 * The time limits of a connection.
 *
 * @param heartbeat the time limits for heartbeats and the greeting
 * @param closeMs how long a graceful close may take, in milliseconds
 * @param writeMs longest time without a completed write while writes occupy memory that a producer needs, in
 *     milliseconds
 * @param credit credit of the connection as a whole, in bytes
 */
public record SessionSettings(Heartbeat.Times heartbeat, long closeMs, long writeMs, long credit) {}
