package io.rocketbufs.livestream.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/** The counters of all viewers of a measurement. <b>Thread-safety:</b> any thread. */
final class BenchCounters {
    private static final long MAX_US = 3_600_000_000L;

    /** Chunks that viewers received completely. */
    final LongAdder chunks = new LongAdder();
    /** Bytes of these chunks. */
    final LongAdder bytes = new LongAdder();
    /** Chunks whose contents differ from those that the source sent. */
    final LongAdder corrupted = new LongAdder();
    /** Chunks missing between two received ones. */
    final LongAdder skipped = new LongAdder();
    /** Chunks that arrived more than the duration of a chunk after they were due. */
    final LongAdder late = new LongAdder();
    /** Failed requests and lost connections. */
    final LongAdder errors = new LongAdder();
    /** Microseconds from connecting to the first whole chunk. */
    final Histogram startup = new SynchronizedHistogram(MAX_US, 3);
    /** Microseconds by which chunks were late. A player that plays the first chunk immediately stalls for this long. */
    final Histogram lateness = new SynchronizedHistogram(MAX_US, 3);
    /** Numbers of errors by reason. */
    final Map<String, LongAdder> reasons = new ConcurrentHashMap<>();

    void error(String why) {
        errors.increment();
        reasons.computeIfAbsent(why, first -> new LongAdder()).increment();
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(MAX_US, Math.max(0, nanos / 1000)));
    }

    /** Returns true when every viewer received every chunk on time, in order and intact. */
    boolean isFaultless() {
        return errors.sum() + corrupted.sum() + skipped.sum() + late.sum() == 0 && chunks.sum() > 0;
    }
}
