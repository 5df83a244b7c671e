package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * The log lines about the topics that one client joins and leaves. Each change is logged at DEBUG; changes of inboxes
 * are logged only at that level. At INFO, the first join is logged immediately. Further joins are logged as a count, at
 * most once a second, because a client may have thousands of topics.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class TopicLog {
    private static final long INTERVAL_MS = 1000;

    private final Logger log;
    private final Object client;
    private final ScheduledExecutorService timer;
    private boolean hasJoined;
    private boolean isScheduled;
    private boolean closed;
    private int joinedCount;
    private int leftCount;

    /**
     * Creates the log for a client that has not joined a topic yet.
     *
     * @param client the client, named at the beginning of each line
     */
    TopicLog(Logger log, Object client, ScheduledExecutorService timer) {
        this.log = log;
        this.client = client;
        this.timer = timer;
    }

    /** Logs that the client has joined a topic or the topics that match a filter. A filter counts as one topic. */
    synchronized void joined(String topic) {
        if (InboxName.is(topic)) {
            log.debug("{} joined {} \"{}\"", client, kind(topic), InboxName.shown(topic));
        } else if (hasJoined) {
            log.debug("{} joined {} \"{}\"", client, kind(topic), topic);
            joinedCount++;
            schedule();
        } else {
            hasJoined = true;
            log.info("{} joined {} \"{}\"", client, kind(topic), topic);
        }
    }

    /** Logs that the client has left a topic but is still connected. */
    synchronized void left(String topic) {
        log.debug("{} left {} \"{}\"", client, kind(topic), InboxName.shown(topic));
        if (!InboxName.is(topic)) {
            leftCount++;
            schedule();
        }
    }

    private static String kind(String topic) {
        if (InboxName.is(topic)) {
            return "inbox";
        }
        return TopicFilter.of(topic).isWildcard() ? "filter" : "topic";
    }

    private void schedule() {
        if (!isScheduled && !closed) {
            isScheduled = true;
            try {
                timer.schedule(this::flush, INTERVAL_MS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                // The broker is closing; close() logs the count.
            }
        }
    }

    private synchronized void flush() {
        isScheduled = false;
        if (!closed) {
            logCounts();
        }
    }

    private void logCounts() {
        if (joinedCount > 0 && leftCount > 0) {
            log.info("{} joined {} and left {}", client, topics(joinedCount, "more "), topics(leftCount, ""));
        } else if (joinedCount > 0) {
            log.info("{} joined {}", client, topics(joinedCount, "more "));
        } else if (leftCount > 0) {
            log.info("{} left {}", client, topics(leftCount, ""));
        }
        joinedCount = 0;
        leftCount = 0;
    }

    private static String topics(int count, String more) {
        return count + " " + more + (count == 1 ? "topic" : "topics");
    }

    /**
     * Logs the number of topics joined since the last line. Called when the client has left the broker and therefore
     * all its topics.
     */
    synchronized void close() {
        leftCount = 0;
        logCounts();
        closed = true;
    }
}
