package io.rocketbufs.metrics;

/**
 * A snapshot of an output buffer, for diagnosis and metrics.
 *
 * @param output number of the ROut within its process, starting at 1
 * @param bufferId the buffer
 * @param capacity bytes
 * @param deliveredCount deliveries so far
 * @param deliveredLength bytes delivered so far
 * @param refusedCount requests for a segment that failed
 */
public record OutputState(
        int output, int bufferId, long capacity, long deliveredCount, long deliveredLength, long refusedCount) {}
