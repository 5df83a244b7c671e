package io.rocketbufs.rbmq.broker;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;

/**
 * The log lines about one subscriber that delays publishers. A subscriber may delay a thousand publishers at once, or
 * the same one repeatedly. Therefore, a delay that begins in QUIET is logged, which starts an interval. During an
 * interval, the first delays of publishers and topics that have not been named since QUIET are logged too, and the rest
 * is only counted.
 *
 * <pre>
 *            a delay begins, or one ends that was only counted            delays were counted: summary
 *   QUIET ------------------------------------------------------&gt; COUNTING ---------------------------&gt; COUNTING
 *     ^                                                              |                              (twice as long)
 *     +------------ the interval ends, no delay was counted ---------+
 *     +------------ no delay has begun or ended for 1 min -----------+
 * </pre>
 *
 * A summary names the newest of the delays that continue and have not been named. A delay that was named has a line at
 * its end.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SlowLog {
    private static final long FIRST_INTERVAL_MS = 1000;
    private static final long LONGEST_INTERVAL_MS = 60_000;
    /** Maximum number of delays that are named in one interval when they begin. */
    private static final int MAX_NAMED = 10;
    /** Maximum number of publishers and topics that are remembered; the oldest ones may be named again. */
    private static final int MAX_REMEMBERED = 1000;

    private final Logger log;
    private final Object subscriber;
    private final ObjLongConsumer<Runnable> timer;
    private final LongSupplier clockMs;

    private long intervalMs = FIRST_INTERVAL_MS;
    /** The current interval; null in QUIET. */
    private Object interval;
    /** When a delay has last begun or ended. */
    private long lastMs;

    private boolean closed;
    /** The publishers and topics that were named since QUIET, oldest first. */
    private final Set<String> named = new LinkedHashSet<>();
    /** Number of delays that were named in the current interval when they began. */
    private int namedInInterval;
    /** The open delays that have not been named, oldest first. */
    private final Set<Delay> unnamed = new LinkedHashSet<>();

    private int begunCount;
    private int endedCount;
    private long endedMs;
    private int openCount;

    /** A delay of one publisher on one topic. */
    static final class Delay {
        private final String publisher;
        private final String topic;

        /**
         * @param publisher the publisher's number and name
         * @param topic the topic as a part of a sentence
         */
        Delay(String publisher, String topic) {
            this.publisher = publisher;
            this.topic = topic;
        }

        @Override
        public String toString() {
            return publisher + " on " + topic;
        }
    }

    /**
     * Creates the log of a subscriber without delays.
     *
     * @param subscriber named at the beginning of each line
     * @param timer runs a task after a number of milliseconds
     * @param clockMs a clock in milliseconds
     */
    SlowLog(Logger log, Object subscriber, ObjLongConsumer<Runnable> timer, LongSupplier clockMs) {
        this.log = log;
        this.subscriber = subscriber;
        this.timer = timer;
        this.clockMs = clockMs;
        this.lastMs = clockMs.getAsLong();
    }

    /** Logs the beginning of a delay, or counts it. */
    synchronized void begin(Delay delay, long pendingLength, String policy) {
        long now = clockMs.getAsLong();
        if (now - lastMs >= LONGEST_INTERVAL_MS) {
            logCounts();
            becomeQuiet();
            intervalMs = FIRST_INTERVAL_MS;
        }
        lastMs = now;
        openCount++;
        String key = delay.toString();
        if (closed || interval != null && (namedInInterval >= MAX_NAMED || named.contains(key))) {
            begunCount++;
            unnamed.add(delay);
            return;
        }
        log.warn("{} is delaying {}: {} bytes are waiting (slow-policy {})", subscriber, delay, pendingLength, policy);
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
     * Logs the end of a delay, or counts it.
     *
     * @param unsubscribed true when the subscription to the publisher's buffer has ended
     * @param delayMs how long the publisher was delayed, in milliseconds
     */
    synchronized void end(Delay delay, boolean unsubscribed, long delayMs) {
        openCount--;
        lastMs = clockMs.getAsLong();
        if (unnamed.remove(delay)) {
            endedCount++;
            endedMs += delayMs;
            if (interval == null && !closed) {
                beginInterval();
            }
        } else if (unsubscribed) {
            log.info(
                    "{} stopped receiving {} while it delayed {}; the delay lasted {} s",
                    subscriber,
                    delay.topic,
                    delay.publisher,
                    seconds(delayMs));
        } else {
            log.info("{} no longer delays {}; the delay lasted {} s", subscriber, delay, seconds(delayMs));
        }
    }

    private static String seconds(long ms) {
        return String.format(Locale.ROOT, "%.1f", ms / 1e3);
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

    /** Logs the delays that were counted since the last call. */
    private void logCounts() {
        if (begunCount > 0) {
            log.warn("{} delayed publishers {}: {}", subscriber, times(begunCount), describeCounts());
        } else if (endedCount > 0 && openCount == 0) {
            log.info("{} no longer delays any publisher; {}", subscriber, describeEnded());
        } else if (endedCount > 0) {
            log.info("{} delays fewer publishers: {}, {}{}", subscriber, describeEnded(), openCount, continues());
        }
        begunCount = 0;
        endedCount = 0;
        endedMs = 0;
    }

    private static String times(int count) {
        return count == 1 ? "once more" : count + " more times";
    }

    private String describeCounts() {
        String ended = endedCount > 0 ? describeEnded() : "";
        String open = openCount > 0 ? delays(openCount) + continues() + nameOne() : "";
        return ended + (ended.isEmpty() || open.isEmpty() ? "" : "; ") + open;
    }

    private String describeEnded() {
        return delays(endedCount) + " ended, " + seconds(endedMs) + " s in total";
    }

    private String continues() {
        return openCount == 1 ? " continues" : " continue";
    }

    /** Names the newest open delay that has not been named; its end will be logged. */
    private String nameOne() {
        if (unnamed.isEmpty()) {
            return "";
        }
        Delay newest = null;
        for (Delay each : unnamed) {
            newest = each;
        }
        unnamed.remove(newest);
        return (openCount == 1 ? ": " : ", including that of ") + newest;
    }

    private static String delays(int count) {
        return count + (count == 1 ? " delay" : " delays");
    }

    /** Logs what has been counted, because the subscriber has left and all its delays have ended. */
    synchronized void close() {
        if (!closed) {
            closed = true;
            logCounts();
        }
    }
}
