package io.rocketbufs.benchmarks.compare;

/**
 * What one measurement has found.
 *
 * @param perSecond messages that each subscriber received in a second, or that were published where nobody subscribes
 * @param brokerCores processors that the broker kept busy, 1.0 being one
 * @param publisherCores the same of all publishers together
 * @param subscriberCores the same of all subscribers together
 * @param p50Us median time on the way of the timed messages, in microseconds; NaN where none was timed
 * @param p99Us their 99th percentile
 * @param faults messages that were lost, doubled, out of order or damaged
 */
record Measurement(
        double perSecond,
        double brokerCores,
        double publisherCores,
        double subscriberCores,
        double p50Us,
        double p99Us,
        long faults) {}
