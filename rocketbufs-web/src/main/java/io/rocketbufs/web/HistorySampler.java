package io.rocketbufs.web;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that takes samples of a server's counters at an interval. If a sample takes more than a hundredth of the
 * interval, because the server has so many counters, the samples are further apart, up to 20 s, so that they occupy
 * about 1 % of a processor. A failed sample is omitted.
 *
 * <p><b>Thread-safety:</b> the timer's thread.
 */
public final class HistorySampler implements Runnable {
    /** The page draws no hole between samples that are this far apart. */
    private static final long MAX_REST_MS = 20_000;

    private static final Logger LOG = LoggerFactory.getLogger(HistorySampler.class);
    private static final long REST = 100;
    private static final long MILLI_NS = 1_000_000;

    private final long everyMs;
    private final LongConsumer sample;
    private final ObjLongConsumer<Runnable> timer;
    private final LongSupplier clockNs;
    private boolean hasFailed;

    /**
     * Creates a task that has not started yet.
     *
     * @param everyMs time between two samples, in milliseconds
     * @param sample takes a sample; receives the time of the clock
     * @param timer runs a task after a number of milliseconds
     * @param clockNs a clock in nanoseconds
     */
    public HistorySampler(long everyMs, LongConsumer sample, ObjLongConsumer<Runnable> timer, LongSupplier clockNs) {
        this.everyMs = everyMs;
        this.sample = sample;
        this.timer = timer;
        this.clockNs = clockNs;
    }

    /** Takes a sample, and schedules the next one. */
    @Override
    public void run() {
        long beginNs = clockNs.getAsLong();
        long restMs = everyMs;
        try {
            sample.accept(beginNs);
            restMs = Math.max(everyMs, REST * (clockNs.getAsLong() - beginNs) / MILLI_NS);
            restMs = Math.min(MAX_REST_MS, restMs);
        } catch (RuntimeException e) {
            // A failure of the history must not prevent the server from starting; one line in the log is sufficient.
            if (!hasFailed) {
                LOG.warn("Cannot take a sample for the history; further failures are not logged", e);
            }
            hasFailed = true;
        } finally {
            timer.accept(this, restMs);
        }
    }
}
