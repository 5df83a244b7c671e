package io.rocketbufs.rbmq.broker;

import io.rocketbufs.web.SampleHistory;
import java.util.Map;

/**
 * The recent history of a broker: rates over consecutive intervals, computed from its counters. Each sample of the
 * counters ends an interval and starts the next.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class History {
    /** Time between consecutive samples, in milliseconds. */
    static final long EVERY_MS = 2000;

    /** Number of intervals, which cover the last ten minutes. */
    static final int COUNT = 300;

    private static final double SECOND_NS = 1e9;

    private final SampleHistory intervals =
            new SampleHistory(COUNT, "inBytesPerSecond", "outBytesPerSecond", "lostBytesPerSecond", "heldBackPercent");
    private Counters last;
    private long lastNs;

    /**
     * Counters since the broker started. A counter can briefly be lower than before, because the parts of a sum are
     * read one after another; it then counts as unchanged.
     *
     * @param receivedLength bytes received from publishers
     * @param sentLength bytes sent to subscribers
     * @param lostLength bytes that subscribers did not receive
     * @param heldBackMs time that publishers have spent waiting for subscribers, in milliseconds, summed over the
     *     publishers
     * @param publisherCount current number of publishers
     */
    record Counters(long receivedLength, long sentLength, long lostLength, long heldBackMs, int publisherCount) {
        private Counters max(Counters other) {
            return new Counters(
                    Math.max(receivedLength, other.receivedLength),
                    Math.max(sentLength, other.sentLength),
                    Math.max(lostLength, other.lostLength),
                    Math.max(heldBackMs, other.heldBackMs),
                    publisherCount);
        }
    }

    /** Adds a sample. The first sample only starts an interval. */
    synchronized void add(long nowNs, Counters sample) {
        if (last == null) {
            last = sample;
            lastNs = nowNs;
            return;
        }
        Counters now = sample.max(last);
        double seconds = Math.max(1, nowNs - lastNs) / SECOND_NS;
        intervals.add(
                nowNs,
                Math.round((now.receivedLength - last.receivedLength) / seconds),
                Math.round((now.sentLength - last.sentLength) / seconds),
                Math.round((now.lostLength - last.lostLength) / seconds),
                HeldBack.percent(
                        now.heldBackMs - last.heldBackMs,
                        nowNs - lastNs,
                        Math.max(now.publisherCount, last.publisherCount)));
        last = now;
        lastNs = nowNs;
    }

    /** Returns the intervals as a JSON object with arrays, oldest interval first. */
    Map<String, Object> json(long nowNs) {
        return intervals.json(nowNs);
    }
}
