package io.rocketbufs.rocketlog.log;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of logs that are being opened. Once per second, it logs which logs are being recovered, and how many of
 * their segments and bytes have been checked and rewritten. If nothing needs recovery, or all logs are open within a
 * second, it logs nothing.
 *
 * <p>The totals include only logs whose recovery has begun, because the lengths of the other logs are not known yet.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class RecoveryProgress {
    /** Time between two lines, and before the first line. */
    static final long INTERVAL_MS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryProgress.class);
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS);
    private static final long MEGABYTE = 1_000_000;

    private final int logCount;
    private final LongSupplier clockNs;
    private final AtomicLong dueNs;
    private final AtomicInteger doneCount = new AtomicInteger();
    private final Set<String> recovering = new ConcurrentSkipListSet<>();
    private final Amount found = new Amount(new AtomicInteger(), new AtomicLong());
    private final Amount checked = new Amount(new AtomicInteger(), new AtomicLong());
    private final Amount rewritten = new Amount(new AtomicInteger(), new AtomicLong());

    /** A number of segments, and the number of bytes in them. */
    private record Amount(AtomicInteger segments, AtomicLong bytes) {
        void add(int moreSegments, long moreBytes) {
            segments.addAndGet(moreSegments);
            bytes.addAndGet(moreBytes);
        }

        long megabytes() {
            return bytes.get() / MEGABYTE;
        }
    }

    /**
     * Begins to measure the time.
     *
     * @param logCount number of logs that are being opened
     * @param clockNs clock in nanoseconds
     */
    RecoveryProgress(int logCount, LongSupplier clockNs) {
        this.logCount = logCount;
        this.clockNs = clockNs;
        this.dueNs = new AtomicLong(clockNs.getAsLong() + INTERVAL_NS);
    }

    /** Called before a log without a clean end is recovered, with the number and the total length of its segments. */
    void begin(String log, int segments, long bytes) {
        recovering.add(log);
        found.add(segments, bytes);
    }

    /** Called when this many more segments and bytes have been checked. */
    void check(int segments, long bytes) {
        checked.add(segments, bytes);
        tick();
    }

    /** Called when this many more segments have been flushed, and this many more bytes rewritten. */
    void rewrite(int segments, long bytes) {
        rewritten.add(segments, bytes);
        tick();
    }

    /** Called when a log has been opened, with or without recovery, or has been refused. */
    void end(String log) {
        recovering.remove(log);
        doneCount.incrementAndGet();
    }

    /** Logs a line if a second has passed since the last line, or since the beginning. */
    void tick() {
        long nowNs = clockNs.getAsLong();
        long thenNs = dueNs.get();
        if (nowNs - thenNs >= 0 && dueNs.compareAndSet(thenNs, nowNs + INTERVAL_NS) && !recovering.isEmpty()) {
            LOG.info(
                    "Recovering {}: {} of {} segments ({} of {} MB) checked, {} ({} MB) rewritten; {} of {} logs done",
                    String.join(", ", recovering),
                    checked.segments,
                    found.segments,
                    checked.megabytes(),
                    found.megabytes(),
                    rewritten.segments,
                    rewritten.megabytes(),
                    doneCount,
                    logCount);
        }
    }
}
