package io.rocketbufs.metrics;

/**
 * A snapshot of an input buffer, for diagnostics and metrics.
 *
 * @param bufferId the sender's id for the buffer
 * @param peer the sender's address
 * @param capacity capacity in bytes
 * @param receivedLength number of bytes received in whole transfers
 * @param consumedLength number of bytes consumed
 * @param transferCount number of transfers received
 * @param creditCount number of credit updates sent
 * @param lostLength number of bytes that the sender skipped
 * @param delayMs how long the sender has waited for credit, in milliseconds. Waits do not count while this side frees
 *     more than a quarter of the capacity per 100 ms, because the sender is then merely faster than this side
 */
public record InputState(
        int bufferId,
        String peer,
        long capacity,
        long receivedLength,
        long consumedLength,
        long transferCount,
        long creditCount,
        long lostLength,
        long delayMs) {}
