package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log line about the messages that a subscriber missed while it was disconnected. The gaps in its topics are
 * reported one after the other. The line is therefore logged one second after the first gap, and covers all gaps so
 * far.
 *
 * <p><b>Thread-safety:</b> the worker of the connection that has replaced the lost one.
 */
final class MissedLog {
    private static final Logger LOG = LoggerFactory.getLogger(MissedLog.class);
    private static final long DELAY_S = 1;

    private final Connection connection;
    /** Topic or filter of the first gap that has not been logged; null if there is none. */
    private String first;

    private int knownCount;
    private long knownLength;
    private int unknownCount;

    /** @param connection the connection that has replaced the lost one */
    MissedLog(Connection connection) {
        this.connection = connection;
    }

    /** Adds a gap if it precedes this connection. */
    void add(Gap gap) {
        if (gap.isOfThisConnection()) {
            return;
        }
        if (gap.isKnown()) {
            knownCount++;
            knownLength += gap.lostLength();
        } else {
            unknownCount++;
        }
        if (first == null) {
            first = gap.topic();
            // Uses a timer thread of the JDK, which is started only after a loss.
            CompletableFuture.delayedExecutor(DELAY_S, TimeUnit.SECONDS).execute(() -> connection.execute(this::write));
        }
    }

    /** Logs the gaps added since the last call. Also called when the connection has ended. */
    void write() {
        if (first == null) {
            return;
        }
        LOG.warn(
                "Messages {} missed while disconnected from the broker: {}{}{}; the first in topic \"{}\"",
                knownCount == 0 ? "may have been" : "were",
                knownCount == 0 ? "" : knownLength + " bytes in " + gaps(knownCount),
                knownCount == 0 || unknownCount == 0 ? "" : ", and ",
                unknownCount == 0 ? "" : "an unknown number of bytes in " + gaps(unknownCount),
                first);
        first = null;
        knownCount = 0;
        knownLength = 0;
        unknownCount = 0;
    }

    private static String gaps(int count) {
        return count + (count == 1 ? " gap" : " gaps");
    }
}
