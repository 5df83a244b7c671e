package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.MessageLayout;

/**
 * The messages of one buffer that are older than the subscriptions to it. They are handed over only to subscriptions
 * that have requested them.
 *
 * <pre>
 *   position:   0                                          end
 *   ------------+-------------------------------------------+------------------------
 *    not held   | older: to the subscriptions that begin    |  newer: to all
 *               | with LAST (the last message) or OLDEST    |  subscriptions
 * </pre>
 *
 * The broker states the end of the history as a position in its buffer, which also counts lost bytes. Each gap before
 * the end therefore moves the end back relative to the bytes that arrive.
 *
 * <p>Arithmetic only. <b>Thread-safety:</b> the connection's worker.
 */
final class History {
    private final long livePosition;
    private long end;
    private boolean skips;

    /**
     * Creates the history of one buffer.
     *
     * @param startPosition position in the broker's buffer of the first byte that arrives
     * @param livePosition position in the broker's buffer at which the newer messages begin
     * @param skips true if only the last message is handed over
     */
    History(long startPosition, long livePosition, boolean skips) {
        this.livePosition = livePosition;
        this.end = livePosition - startPosition;
        this.skips = skips;
    }

    /** Returns the position in the broker's buffer at which the newer messages begin. */
    long livePosition() {
        return livePosition;
    }

    /** Returns the number of bytes that arrive before the newer messages, including those that have arrived already. */
    long end() {
        return end;
    }

    /** Called when bytes are missing after the first {@code receivedPosition} bytes that have arrived. */
    void onGap(long receivedPosition, long lostLength) {
        if (receivedPosition < end) {
            end = Math.max(receivedPosition, end - lostLength);
        }
    }

    /** Returns true while messages are skipped because they are not known to be the last one. */
    boolean skips() {
        return skips;
    }

    /**
     * Returns the number of bytes to skip at the beginning of the waiting bytes, and records whether the last message
     * follows them.
     *
     * @param waiting the bytes that have arrived and have not been consumed
     * @param length number of bytes up to the next gap, to the end of the history, or to the end of the waiting bytes
     * @param isBeforeGap true if messages are missing after these bytes
     */
    long skip(Segment waiting, long length, boolean isBeforeGap) {
        if (waiting.position() + length == end) {
            skips = false;
            return MessageLayout.lastFrame(waiting, length);
        }
        // A newer message follows the gap, because the gap does not reach the end.
        return isBeforeGap ? length : MessageLayout.lastFrame(waiting, length);
    }
}
