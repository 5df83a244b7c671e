package io.rocketbufs.delivery;

/**
 * Times of a connection, in milliseconds.
 *
 * @param heartbeatMs something is sent at least this often
 * @param silenceMs a peer that is silent for this long is dead
 * @param greetingMs a peer must have said hello by then
 * @param closeMs how long an orderly close may take
 * @param writeMs how long writes may keep memory in use that a producer needs, without progress
 */
public record EndpointSettings(int heartbeatMs, long silenceMs, long greetingMs, long closeMs, long writeMs) {}
