package io.rocketbufs.livestream.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/** The counters shared by all viewers in a measurement. <b>Thread-safety:</b> any thread. */
final class BenchCounters {
    private static final long MAX_US = 3_600_000_000L;

    /** Chunks that viewers have received completely. */
    final LongAdder chunks = new LongAdder();
    /** Total length of these chunks in bytes. */
    final LongAdder bytes = new LongAdder();
    /** Received chunks whose contents differ from what the source sent. */
    final LongAdder corrupted = new LongAdder();
    /** Chunks that viewers missed between two received chunks. */
    final LongAdder skipped = new LongAdder();
    /** Chunks that were late by more than their own duration. */
    final LongAdder late = new LongAdder();
    /** Failed requests and lost connections. */
    final LongAdder errors = new LongAdder();
    /** Time from a viewer's start to the arrival of its first complete chunk, in microseconds. */
    final Histogram startup = new SynchronizedHistogram(MAX_US, 3);
    /**
     * Lateness of each chunk relative to its due time, in microseconds. A player that starts playing as soon as it has
     * the first chunk stalls for this long.
     */
    final Histogram lateness = new SynchronizedHistogram(MAX_US, 3);
    /** Error counts by reason. */
    final Map<String, LongAdder> reasons = new ConcurrentHashMap<>();

    void error(String why) {
        errors.increment();
        reasons.computeIfAbsent(why, first -> new LongAdder()).increment();
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(MAX_US, Math.max(0, nanos / 1000)));
    }

    /** Returns true if every viewer received every chunk on time, in order and intact. */
    boolean isFaultless() {
        return errors.sum() + corrupted.sum() + skipped.sum() + late.sum() == 0 && chunks.sum() > 0;
    }
}
