package io.rocketbufs.rbmq.bench;

/**
 * The processor time used by each role, in seconds; NaN if it cannot be determined.
 *
 * @param broker time used by the broker's process
 * @param publishers time used by the publishers' processes
 * @param subscribers time used by the subscribers' processes
 */
public record CpuTimes(double broker, double publishers, double subscribers) {
    /** Returns the time used since an earlier reading. */
    public CpuTimes minus(CpuTimes earlier) {
        return new CpuTimes(
                broker - earlier.broker, publishers - earlier.publishers, subscribers - earlier.subscribers);
    }
}
