package io.rocketbufs.livestream.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/** What all viewers of a measurement have seen. <b>Thread-safety:</b> any thread. */
final class BenchCounters {
    private static final long MAX_US = 3_600_000_000L;

    /** Chunks that came as a whole. */
    final LongAdder chunks = new LongAdder();
    /** Bytes of them. */
    final LongAdder bytes = new LongAdder();
    /** Chunks that are not what was sent. */
    final LongAdder corrupted = new LongAdder();
    /** Chunks that are missing between two others. */
    final LongAdder skipped = new LongAdder();
    /** Chunks that came later than a whole chunk's time after they were due. */
    final LongAdder late = new LongAdder();
    /** Requests that failed, and connections that were lost. */
    final LongAdder errors = new LongAdder();
    /** Microseconds from connecting to the first whole chunk. */
    final Histogram startup = new SynchronizedHistogram(MAX_US, 3);
    /** Microseconds after a chunk was due: a player that began with the first one at once would have stood so long. */
    final Histogram lateness = new SynchronizedHistogram(MAX_US, 3);
    /** What went wrong, and how often. */
    final Map<String, LongAdder> reasons = new ConcurrentHashMap<>();

    void error(String why) {
        errors.increment();
        reasons.computeIfAbsent(why, first -> new LongAdder()).increment();
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(MAX_US, Math.max(0, nanos / 1000)));
    }

    /** True when every viewer got everything, in time, in order and unharmed. */
    boolean isFaultless() {
        return errors.sum() + corrupted.sum() + skipped.sum() + late.sum() == 0 && chunks.sum() > 0;
    }
}
