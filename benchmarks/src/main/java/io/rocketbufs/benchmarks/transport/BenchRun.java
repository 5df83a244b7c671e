package io.rocketbufs.benchmarks.transport;

/**
 * One measurement over one connection.
 *
 * @param mode what is measured
 * @param credit how consumed positions travel
 * @param size bytes of a message
 * @param slots messages in the circular buffer, so that none lies across its end
 * @param warmupNs nanoseconds before the measurement
 * @param durationNs nanoseconds of the measurement
 */
record BenchRun(BenchMode mode, CreditKind credit, int size, int slots, long warmupNs, long durationNs) {
    /** Refuses what cannot work. */
    BenchRun {
        if (size < 1 || slots < 1) {
            throw new IllegalArgumentException("size=" + size + ", slots=" + slots);
        }
    }

    /** The same for another time, to warm up. */
    BenchRun lasting(long newWarmupNs, long newDurationNs) {
        return new BenchRun(mode, credit, size, slots, newWarmupNs, newDurationNs);
    }

    /** Bytes of the circular buffer. */
    int capacity() {
        return size * slots;
    }
}
