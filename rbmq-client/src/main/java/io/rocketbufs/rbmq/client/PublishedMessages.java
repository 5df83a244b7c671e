package io.rocketbufs.rbmq.client;

/**
 * Counts of the messages that a topic's publisher has delivered into its buffer, and of the messages that the broker
 * has consumed.
 *
 * <p><b>Thread-safety:</b> guarded by the topic's lock.
 */
final class PublishedMessages {
    /** Null after {@link #close}, because an ended topic needs no samples. */
    private Confirmations confirmations = new Confirmations();

    private long count;
    private long length;
    private long deliveredPosition;
    private long confirmedPosition;
    /** Set by {@link #close}, which discards the samples. */
    private long confirmedCount;

    private long lostPosition = Long.MAX_VALUE;
    /** Number of messages that were not confirmed when the connection was lost, until they are sent again. */
    private long lostCount;

    private long resentCount;
    private long droppedCount;
    private long unheardCount;

    /**
     * Counts messages that were delivered together.
     *
     * @param framesLength length of the messages in the buffer, in bytes
     * @param messageCount number of messages
     * @param messagesLength length of the messages excluding frames and headers, in bytes
     */
    void add(int framesLength, int messageCount, long messagesLength) {
        deliveredPosition += framesLength;
        count += messageCount;
        length += messagesLength;
        confirmations.published(deliveredPosition, count);
    }

    /** Counts a message that was dropped because the topic had no subscribers. */
    void addUnheard() {
        unheardCount++;
    }

    /** Called when the connection was lost, after {@link #confirm}: the unconfirmed messages will be sent again. */
    void lose() {
        lostCount = unconfirmedCount();
    }

    /** Called when the messages counted by {@link #lose} are sent again. */
    void resend() {
        resentCount += lostCount;
        lostCount = 0;
    }

    /**
     * Called when the unconfirmed messages are dropped, after the last call to {@link #confirm}; returns their number.
     */
    long drop() {
        long unconfirmed = unconfirmedCount();
        droppedCount += unconfirmed;
        confirmedPosition = deliveredPosition;
        return unconfirmed;
    }

    /** Makes all messages added after this call count as unconfirmed, regardless of later calls to {@link #confirm}. */
    void loseFurther() {
        lostPosition = Math.min(lostPosition, deliveredPosition);
    }

    /** Returns true if {@link #confirm} and {@link #makeRoom} must be called before the next message. */
    boolean isFull() {
        return confirmations.isFull();
    }

    /** Removes the confirmed samples, and further samples if too many remain. */
    void makeRoom() {
        confirmations.makeRoom(confirmedPosition);
    }

    /**
     * Sets the position up to which the broker has consumed the buffer. A position lower than an earlier one has no
     * effect: messages that are sent again to another broker stay confirmed.
     */
    void confirm(long consumedPosition) {
        confirmedPosition = Math.max(confirmedPosition, Math.min(consumedPosition, lostPosition));
    }

    /** Counts everything delivered so far as confirmed, because the broker will not confirm it. */
    void confirmAll() {
        confirmedPosition = deliveredPosition;
    }

    /** Saves the current counts and discards the samples, because the buffer will be removed. */
    void close() {
        confirmedCount = confirmations.countAt(confirmedPosition);
        confirmations = null;
    }

    boolean isConfirmed() {
        return confirmedPosition == deliveredPosition;
    }

    OutputCounts counts() {
        return new OutputCounts(
                count,
                length,
                unheardCount,
                unconfirmedCount(),
                deliveredPosition - confirmedPosition,
                resentCount,
                droppedCount);
    }

    /** Returns the number of messages not known to have been consumed; it may be too high. */
    private long unconfirmedCount() {
        if (isConfirmed()) {
            return 0;
        }
        return count - (confirmations == null ? confirmedCount : confirmations.countAt(confirmedPosition));
    }
}
