package io.rocketbufs.delivery;

/**
 * An output buffer at one moment, for people and metrics.
 *
 * @param bufferId the buffer
 * @param capacity bytes
 * @param deliveredCount deliveries so far
 * @param deliveredLength bytes delivered so far
 * @param refusedCount requests for a segment that failed
 */
public record OutputState(int bufferId, long capacity, long deliveredCount, long deliveredLength, long refusedCount) {}
