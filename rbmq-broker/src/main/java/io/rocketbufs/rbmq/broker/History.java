package io.rocketbufs.rbmq.broker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The recent past of a broker: rates over consecutive intervals, computed from its counters. The newest intervals
 * replace the oldest in arrays of a fixed size.
 *
 * <pre>
 *   counters     *         *         *         *        each sample ends an interval
 *   intervals      0         1         2                 number, whose remainder is the index in the arrays
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class History {
    /** Number of intervals; at one each 2 s, those of the last ten minutes. */
    static final int COUNT = 300;

    private static final double SECOND_NS = 1e9;

    /** When each interval ended. */
    private final long[] endNs = new long[COUNT];

    private final long[] inRate = new long[COUNT];
    private final long[] outRate = new long[COUNT];
    private final long[] lostRate = new long[COUNT];
    private final double[] heldBack = new double[COUNT];
    /** Number of intervals so far. */
    private long count;

    private Counters last;
    private long lastNs;

    /**
     * Counters since the broker started. One that is briefly lower than before, because the parts of a sum are read one
     * after the other, counts as unchanged.
     *
     * @param receivedLength bytes received from publishers
     * @param sentLength bytes sent to subscribers
     * @param lostLength bytes that subscribers did not receive
     * @param heldBackMs how long publishers have waited for subscribers, added up over the publishers
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

    /** Adds a sample. The first one only begins an interval. */
    synchronized void add(long nowNs, Counters sample) {
        if (last == null) {
            last = sample;
            lastNs = nowNs;
            return;
        }
        Counters now = sample.max(last);
        double seconds = Math.max(1, nowNs - lastNs) / SECOND_NS;
        int index = (int) (count % COUNT);
        endNs[index] = nowNs;
        inRate[index] = Math.round((now.receivedLength - last.receivedLength) / seconds);
        outRate[index] = Math.round((now.sentLength - last.sentLength) / seconds);
        lostRate[index] = Math.round((now.lostLength - last.lostLength) / seconds);
        heldBack[index] = HeldBack.percent(
                now.heldBackMs - last.heldBackMs, nowNs - lastNs, Math.max(now.publisherCount, last.publisherCount));
        count++;
        last = now;
        lastNs = nowNs;
    }

    /** Returns the intervals as a JSON object with arrays, the oldest interval first. */
    synchronized Map<String, Object> json(long nowNs) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ageMs", each(index -> TimeUnit.NANOSECONDS.toMillis(nowNs - endNs[index])));
        json.put("inBytesPerSecond", each(index -> inRate[index]));
        json.put("outBytesPerSecond", each(index -> outRate[index]));
        json.put("lostBytesPerSecond", each(index -> lostRate[index]));
        json.put("heldBackPercent", each(index -> heldBack[index]));
        return json;
    }

    private List<Object> each(IntFunction<Object> value) {
        List<Object> values = new ArrayList<>(COUNT);
        for (long i = Math.max(0, count - COUNT); i < count; i++) {
            values.add(value.apply((int) (i % COUNT)));
        }
        return values;
    }
}
