package io.rocketbufs.rbmq.bench;

/**
 * Processor time by role, in seconds; NaN if it cannot be determined.
 *
 * @param broker the broker's process
 * @param publishers the publishers' processes
 * @param subscribers the subscribers' processes
 */
public record CpuTimes(double broker, double publishers, double subscribers) {
    /** Returns the time used since an earlier reading. */
    public CpuTimes minus(CpuTimes earlier) {
        return new CpuTimes(
                broker - earlier.broker, publishers - earlier.publishers, subscribers - earlier.subscribers);
    }
}
