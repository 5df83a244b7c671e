package io.rocketbufs.rbmq.cli;

/**
 * Processor time by role, in seconds; NaN where it is not ours to know.
 *
 * @param broker the broker's process
 * @param publishers the publishers' processes
 * @param subscribers the subscribers' processes
 */
record CpuTimes(double broker, double publishers, double subscribers) {
    CpuTimes minus(CpuTimes earlier) {
        return new CpuTimes(
                broker - earlier.broker, publishers - earlier.publishers, subscribers - earlier.subscribers);
    }
}
