package io.rocketbufs.web;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that samples a server's counters at regular intervals. If the server has so many counters that a sample takes
 * more than a hundredth of the interval, the interval is increased to at most 20 s. Sampling thus uses about 1 % of a
 * processor. A failed sample is omitted.
 *
 * <p><b>Thread-safety:</b> confined to the timer's thread.
 */
public final class HistorySampler implements Runnable {
    /** Maximum time between two samples in ms. The page draws no gap between samples that are this far apart. */
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
     * Creates a task, which {@link #run} starts.
     *
     * @param everyMs time between two samples, in milliseconds
     * @param sample takes a sample; receives the current time of the clock
     * @param timer runs a task after a number of milliseconds
     * @param clockNs a clock in nanoseconds
     */
    public HistorySampler(long everyMs, LongConsumer sample, ObjLongConsumer<Runnable> timer, LongSupplier clockNs) {
        this.everyMs = everyMs;
        this.sample = sample;
        this.timer = timer;
        this.clockNs = clockNs;
    }

    /** Takes a sample and schedules the next sample. */
    @Override
    public void run() {
        long beginNs = clockNs.getAsLong();
        long restMs = everyMs;
        try {
            sample.accept(beginNs);
            restMs = Math.max(everyMs, REST * (clockNs.getAsLong() - beginNs) / MILLI_NS);
            restMs = Math.min(MAX_REST_MS, restMs);
        } catch (RuntimeException e) {
            // A failure of the history must not prevent the server from starting; a single log line is sufficient.
            if (!hasFailed) {
                LOG.warn("Cannot take a sample for the history; further failures are not logged", e);
            }
            hasFailed = true;
        } finally {
            timer.accept(this, restMs);
        }
    }
}
