package io.rocketbufs.rocketlog.cli;

/**
 * The result of one of the demo's measurements.
 *
 * @param load the measured load
 * @param counts differences over the measurement
 * @param calls runs of the broker's code while the clients were running
 * @param faults faults among all records, including those sent before and after the measurement
 * @param latenciesNs from sending to consuming, in ascending order; empty if they were not measured
 */
record DemoResult(DemoLoad load, Counts counts, DemoBroker.Calls calls, DemoFaults faults, long[] latenciesNs) {
    private static final double SECOND_NS = 1e9;
    private static final double MICRO_NS = 1e3;

    /**
     * The counters at one moment, or their differences.
     *
     * @param timeNs time of {@link System#nanoTime}
     * @param acknowledged records that count as sent
     * @param consumed records that have arrived
     * @param brokerSeconds processor time of the broker
     */
    record Counts(long timeNs, long acknowledged, long consumed, double brokerSeconds) {
        static Counts of(DemoClients clients, DemoBroker broker) {
            return new Counts(System.nanoTime(), clients.acknowledged(), clients.consumed(), broker.cpuSeconds());
        }

        Counts minus(Counts earlier) {
            return new Counts(
                    timeNs - earlier.timeNs,
                    acknowledged - earlier.acknowledged,
                    consumed - earlier.consumed,
                    brokerSeconds - earlier.brokerSeconds);
        }
    }

    /** Returns the number of records per second that were acknowledged. */
    double acknowledgedPerSecond() {
        return counts.acknowledged * SECOND_NS / counts.timeNs;
    }

    /** Returns the number of records per second that were consumed. */
    double consumedPerSecond() {
        return counts.consumed * SECOND_NS / counts.timeNs;
    }

    /**
     * Returns a percentile of the latencies in microseconds, or null if none were measured; the part is 0.99 for p99.
     */
    Double latencyMicros(double part) {
        int count = latenciesNs.length;
        return count == 0 ? null : latenciesNs[Math.max(0, (int) Math.ceil(part * count) - 1)] / MICRO_NS;
    }
}
