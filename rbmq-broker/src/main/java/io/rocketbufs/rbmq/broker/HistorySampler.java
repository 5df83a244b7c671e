package io.rocketbufs.rbmq.broker;

import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that takes a sample of a broker's counters every 2 s. On a broker with so many subscriptions that a sample
 * takes more than 20 ms, the samples are further apart, up to 20 s, so that they occupy about 1 % of a processor. A
 * sample that fails is left out.
 *
 * <p><b>Thread-safety:</b> the timer's thread.
 */
final class HistorySampler implements Runnable {
    /** Time between two samples, in milliseconds. */
    static final long EVERY_MS = 2000;

    /** The page draws no hole between samples that are this far apart. */
    private static final long MAX_REST_MS = 20_000;

    private static final Logger LOG = LoggerFactory.getLogger(HistorySampler.class);
    private static final long REST = 100;
    private static final long MILLI_NS = 1_000_000;

    private final History history;
    private final Supplier<History.Counters> counters;
    private final ObjLongConsumer<Runnable> timer;
    private final LongSupplier clockNs;
    private boolean hasFailed;

    /**
     * Creates a task that has not started yet.
     *
     * @param timer runs a task after a number of milliseconds
     * @param clockNs a clock in nanoseconds
     */
    HistorySampler(
            History history,
            Supplier<History.Counters> counters,
            ObjLongConsumer<Runnable> timer,
            LongSupplier clockNs) {
        this.history = history;
        this.counters = counters;
        this.timer = timer;
        this.clockNs = clockNs;
    }

    /** Takes a sample, and schedules the next one. */
    @Override
    public void run() {
        long beginNs = clockNs.getAsLong();
        long restMs = EVERY_MS;
        try {
            history.add(beginNs, counters.get());
            restMs = Math.max(EVERY_MS, REST * (clockNs.getAsLong() - beginNs) / MILLI_NS);
            restMs = Math.min(MAX_REST_MS, restMs);
        } catch (RuntimeException e) {
            // The history is not worth the broker's start, and one line in the log is sufficient.
            if (!hasFailed) {
                LOG.warn("Cannot take a sample for the history; further failures are not logged", e);
            }
            hasFailed = true;
        } finally {
            timer.accept(this, restMs);
        }
    }
}
