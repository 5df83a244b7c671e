package io.rocketbufs.benchmarks.compare;

/**
 * The result of one measurement.
 *
 * @param perSecond messages per second that each subscriber received, or that were published if there are no
 *     subscribers
 * @param brokerCores number of processors that the broker kept busy; 1.0 is one processor
 * @param publisherCores total number of processors that the publishers kept busy
 * @param subscriberCores total number of processors that the subscribers kept busy
 * @param latency latency of the timed messages, from the publisher through the broker to the slowest subscriber
 * @param faults number of messages that were lost, duplicated, out of order or damaged
 */
public record Measurement(
        double perSecond,
        double brokerCores,
        double publisherCores,
        double subscriberCores,
        Latency latency,
        long faults) {
    private static final int MEDIAN = 50;
    private static final int TAIL = 99;
    private static final double MICRO = 1e6;
    private static final double NANO = 1e9;

    public double p50Us() {
        return latency.at(MEDIAN);
    }

    public double p99Us() {
        return latency.at(TAIL);
    }

    /** Returns the processor time of all processes per delivered byte in a cell with subscribers, in nanoseconds. */
    double byteNs(Cell cell) {
        return NANO * (brokerCores + publisherCores + subscriberCores) / (perSecond * cell.subscribers() * cell.size());
    }

    /** Returns the processor time of the subscribers per received message, in microseconds. */
    double subscriberUs(int subscribers) {
        return MICRO * subscriberCores / (perSecond * subscribers);
    }
}
