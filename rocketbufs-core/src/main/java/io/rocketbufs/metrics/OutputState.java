package io.rocketbufs.metrics;

/**
 * A snapshot of an output buffer, for diagnostics and metrics.
 *
 * @param output number of the ROut within its process, starting at 1
 * @param bufferId the buffer's id
 * @param capacity capacity in bytes
 * @param deliveredCount number of deliveries so far
 * @param deliveredLength number of bytes delivered so far
 * @param refusedCount number of requests for a segment that were refused
 */
public record OutputState(
        int output, int bufferId, long capacity, long deliveredCount, long deliveredLength, long refusedCount) {}
