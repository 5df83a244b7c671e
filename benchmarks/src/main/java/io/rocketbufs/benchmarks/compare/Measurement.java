package io.rocketbufs.benchmarks.compare;

/**
 * What one measurement has found.
 *
 * @param perSecond messages that each subscriber received in a second, or that were published without subscribers
 * @param brokerCores processors that the broker kept busy, 1.0 being one
 * @param publisherCores the same of all publishers together
 * @param subscriberCores the same of all subscribers together
 * @param latency of the timed messages, from the publisher through the broker to the slowest subscriber
 * @param faults messages that were lost, doubled, out of order or damaged
 */
record Measurement(
        double perSecond,
        double brokerCores,
        double publisherCores,
        double subscriberCores,
        Latency latency,
        long faults) {
    private static final int MEDIAN = 50;
    private static final int TAIL = 99;
    private static final double MICRO = 1e6;

    double p50Us() {
        return latency.at(MEDIAN);
    }

    double p99Us() {
        return latency.at(TAIL);
    }

    /** Microseconds of processor time that subscribers spend on a message that one of them receives. */
    double subscriberUs(int subscribers) {
        return MICRO * subscriberCores / (perSecond * subscribers);
    }
}
