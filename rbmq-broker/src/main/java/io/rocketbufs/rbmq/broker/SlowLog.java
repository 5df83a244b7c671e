package io.rocketbufs.rbmq.broker;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;

/**
 * The log lines about one subscriber's delays of publishers, or about one subscriber's losses of data. A subscriber may
 * delay a thousand publishers at once, or the same publisher repeatedly, so the number of log lines is limited. A delay
 * that begins in QUIET is logged and starts an interval. During an interval, the first few delays of publishers and
 * topics not named since QUIET are logged too; all other delays are only counted.
 *
 * <pre>
 *            a delay begins, or an only counted delay ends                delays were counted: summary
 *   QUIET ------------------------------------------------------&gt; COUNTING ---------------------------&gt; COUNTING
 *     ^                                                              |                              (twice as long)
 *     +------------ the interval ends, no delay was counted ---------+
 *     +------------ no delay has begun or ended for 1 min -----------+
 * </pre>
 *
 * A summary names the newest open delay that has not been named yet. The end of a named delay is logged as well. The
 * same applies to losses.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SlowLog {
    private static final long FIRST_INTERVAL_MS = 1000;
    private static final long LONGEST_INTERVAL_MS = 60_000;
    /** Maximum number of delays whose beginning is logged in one interval. */
    private static final int MAX_NAMED = 10;
    /** Maximum number of publishers and topics that are remembered; the oldest are dropped and may be named again. */
    private static final int MAX_REMEMBERED = 1000;

    private final Logger log;
    private final Kind kind;
    private final Object subscriber;
    private final ObjLongConsumer<Runnable> timer;
    private final LongSupplier clockMs;

    private long intervalMs = FIRST_INTERVAL_MS;
    /** The current interval; null in QUIET. */
    private Object interval;
    /** Time at which a delay or loss last began or ended. */
    private long lastMs;

    private boolean closed;
    /** The publishers and topics that have been named since QUIET, oldest first. */
    private final Set<String> named = new LinkedHashSet<>();
    /** Number of delays or losses whose beginning was logged in the current interval. */
    private int namedInInterval;
    /** The open delays or losses that have not been named, oldest first. */
    private final Set<Source> unnamed = new LinkedHashSet<>();

    private int begunCount;
    private int endedCount;
    /** Total amount of the delays or losses that have ended, in milliseconds or bytes. */
    private long endedAmount;

    private int openCount;

    /** The effect of a slow subscription on a publisher's data, with the phrases that describe it. */
    enum Kind {
        /** The subscriber delays the publisher; the amount is the time in milliseconds. */
        DELAY(
                "delay",
                "delays",
                "{} is delaying {}: {} bytes are waiting (slow-policy {})",
                "{} no longer delays {}; the delay lasted {}",
                "{} stopped receiving {} while it delayed {}; the delay lasted {}",
                "{} delayed publishers {}: {}",
                "{} no longer delays any publisher; {}",
                "{} delays fewer publishers: {}, {}{}") {
            @Override
            String describe(long amount) {
                return String.format(Locale.ROOT, "%.1f s", amount / 1e3);
            }
        },
        /** Data of the publisher is skipped for the subscriber; the amount is the number of bytes. */
        LOSS(
                "loss",
                "losses",
                "{} is missing data from {}: {} bytes were skipped (slow-policy {})",
                "{} is no longer missing data from {}; {} were skipped",
                "{} stopped receiving {} while it was missing data from {}; {} were skipped",
                "{} missed data {}: {}",
                "{} is no longer missing data from any publisher; {}",
                "{} is missing data from fewer publishers: {}, {}{}") {
            @Override
            String describe(long amount) {
                return amount + " bytes";
            }
        };

        private final String one;
        private final String several;
        private final String begin;
        private final String end;
        private final String unsubscribed;
        private final String repeated;
        private final String over;
        private final String fewer;

        Kind(
                String one,
                String several,
                String begin,
                String end,
                String unsubscribed,
                String repeated,
                String over,
                String fewer) {
            this.one = one;
            this.several = several;
            this.begin = begin;
            this.end = end;
            this.unsubscribed = unsubscribed;
            this.repeated = repeated;
            this.over = over;
            this.fewer = fewer;
        }

        /** Returns an amount with its unit. */
        abstract String describe(long amount);

        private String count(int count) {
            return count + " " + (count == 1 ? one : several);
        }
    }

    /** A publisher and one of its topics. */
    static final class Source {
        private final String publisher;
        private final String topic;

        /**
         * @param publisher the publisher's number and name
         * @param topic the topic, phrased as part of a sentence
         */
        Source(String publisher, String topic) {
            this.publisher = publisher;
            this.topic = topic;
        }

        @Override
        public String toString() {
            return publisher + " on " + topic;
        }
    }

    /**
     * Creates the log for a subscriber without delays or losses.
     *
     * @param kind whether delays or losses are logged
     * @param subscriber the subscriber, named at the beginning of each line
     * @param timer runs a task after a number of milliseconds
     * @param clockMs a clock in milliseconds
     */
    SlowLog(Logger log, Kind kind, Object subscriber, ObjLongConsumer<Runnable> timer, LongSupplier clockMs) {
        this.log = log;
        this.kind = kind;
        this.subscriber = subscriber;
        this.timer = timer;
        this.clockMs = clockMs;
        this.lastMs = clockMs.getAsLong();
    }

    /**
     * Logs or counts the beginning of a delay or loss.
     *
     * @param length number of bytes that are waiting, or that were skipped
     */
    synchronized void begin(Source source, long length, String policy) {
        long now = clockMs.getAsLong();
        if (now - lastMs >= LONGEST_INTERVAL_MS) {
            logCounts();
            becomeQuiet();
            intervalMs = FIRST_INTERVAL_MS;
        }
        lastMs = now;
        openCount++;
        String key = source.toString();
        if (closed || interval != null && (namedInInterval >= MAX_NAMED || named.contains(key))) {
            begunCount++;
            unnamed.add(source);
            return;
        }
        log.warn(kind.begin, subscriber, source, length, policy);
        if (interval == null) {
            beginInterval();
        }
        remember(key);
    }

    private void remember(String key) {
        namedInInterval++;
        named.add(key);
        if (named.size() > MAX_REMEMBERED) {
            named.remove(named.iterator().next());
        }
    }

    /**
     * Logs or counts the end of a delay or loss.
     *
     * @param unsubscribed true if the subscription to the publisher's buffer has ended
     * @param amount number of milliseconds for which the publisher was delayed, or number of bytes skipped
     */
    synchronized void end(Source source, boolean unsubscribed, long amount) {
        openCount--;
        lastMs = clockMs.getAsLong();
        if (unnamed.remove(source)) {
            endedCount++;
            endedAmount += amount;
            if (interval == null && !closed) {
                beginInterval();
            }
        } else if (unsubscribed) {
            log.info(kind.unsubscribed, subscriber, source.topic, source.publisher, kind.describe(amount));
        } else {
            log.info(kind.end, subscriber, source, kind.describe(amount));
        }
    }

    private void beginInterval() {
        Object begun = new Object();
        interval = begun;
        namedInInterval = 0;
        try {
            timer.accept(() -> endInterval(begun), intervalMs);
        } catch (RejectedExecutionException e) {
            // The broker is closing; close() logs the counts.
        }
        intervalMs = Math.min(2 * intervalMs, LONGEST_INTERVAL_MS);
    }

    private synchronized void endInterval(Object ended) {
        if (interval != ended || closed) {
            return;
        }
        boolean goesOn = begunCount > 0;
        logCounts();
        if (goesOn) {
            beginInterval();
        } else {
            becomeQuiet();
        }
    }

    private void becomeQuiet() {
        interval = null;
        named.clear();
    }

    /** Logs the delays or losses that were counted since the last call. */
    private void logCounts() {
        if (begunCount > 0) {
            log.warn(kind.repeated, subscriber, times(begunCount), describeCounts());
        } else if (endedCount > 0 && openCount == 0) {
            log.info(kind.over, subscriber, describeEnded());
        } else if (endedCount > 0) {
            log.info(kind.fewer, subscriber, describeEnded(), openCount, continues());
        }
        begunCount = 0;
        endedCount = 0;
        endedAmount = 0;
    }

    private static String times(int count) {
        return count == 1 ? "once more" : count + " more times";
    }

    private String describeCounts() {
        String ended = endedCount > 0 ? describeEnded() : "";
        String open = openCount > 0 ? kind.count(openCount) + continues() + nameOne() : "";
        return ended + (ended.isEmpty() || open.isEmpty() ? "" : "; ") + open;
    }

    private String describeEnded() {
        return kind.count(endedCount) + " ended, " + kind.describe(endedAmount) + " in total";
    }

    private String continues() {
        return openCount == 1 ? " continues" : " continue";
    }

    /** Names the newest open delay that has not been named; its end will be logged. */
    private String nameOne() {
        if (unnamed.isEmpty()) {
            return "";
        }
        Source newest = null;
        for (Source each : unnamed) {
            newest = each;
        }
        unnamed.remove(newest);
        return (openCount == 1 ? ": " : ", including that of ") + newest;
    }

    /** Logs the remaining counts. Called when the subscriber has left and all its delays have ended. */
    synchronized void close() {
        if (!closed) {
            closed = true;
            logCounts();
        }
    }
}
