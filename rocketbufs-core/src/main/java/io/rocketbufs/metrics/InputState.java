package io.rocketbufs.metrics;

/**
 * A snapshot of an input buffer, for diagnosis and metrics.
 *
 * @param bufferId the sender's id
 * @param peer the sender
 * @param capacity bytes
 * @param receivedLength bytes received in whole transfers
 * @param consumedLength bytes consumed
 * @param transferCount transfers received
 * @param creditCount credit updates sent
 * @param lostLength bytes that the sender left out
 */
public record InputState(
        int bufferId,
        String peer,
        long capacity,
        long receivedLength,
        long consumedLength,
        long transferCount,
        long creditCount,
        long lostLength) {}
