package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.SlowLayout;
import java.nio.ByteBuffer;

/**
 * The delays that one subscriber causes, as the broker reports them for each buffer, over successive connections.
 *
 * <p>The broker drops reports that become outdated before they are sent. It may therefore repeat a report, or report
 * the end of a delay whose beginning it has not reported.
 *
 * <p><b>Thread-safety:</b> the connection's worker; any thread reads the count.
 */
final class CausedDelays {
    private final SubscriberCallback callback;
    private volatile long count;

    CausedDelays(SubscriberCallback callback) {
        this.callback = callback;
    }

    /**
     * Called when the broker reports that this subscriber delays a publisher, or no longer does.
     *
     * @param buffer the buffer; null if it ended while the report was in transit
     */
    void report(PublisherBuffer buffer, ByteBuffer message) {
        boolean isDelayed = SlowLayout.subscriberCount(message) > 0;
        if (buffer == null || !buffer.setDelayed(isDelayed)) {
            return;
        }
        count += isDelayed ? 1 : 0;
        if (buffer.isInbox()) {
            return;
        }
        if (isDelayed) {
            callback.onSlow(buffer.topic(), buffer.publisher(), SlowLayout.pendingLength(message));
        } else {
            callback.onSlowEnd(buffer.topic(), buffer.publisher(), SlowLayout.delayMs(message));
        }
    }

    /** Returns the number of times that this subscriber started to delay a publisher. */
    long count() {
        return count;
    }
}
