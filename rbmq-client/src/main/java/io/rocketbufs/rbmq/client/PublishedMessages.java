package io.rocketbufs.rbmq.client;

/**
 * Counts of the messages that a topic's publisher has delivered into its buffer, and of those that the broker has
 * consumed.
 *
 * <p><b>Thread-safety:</b> guarded by the topic's lock.
 */
final class PublishedMessages {
    /** Null after {@link #close}, because a topic that has ended needs no samples. */
    private Confirmations confirmations = new Confirmations();

    private long count;
    private long length;
    private long deliveredPosition;
    private long confirmedPosition;
    /** Set by {@link #close}, which discards the samples. */
    private long confirmedCount;

    private long lostPosition = Long.MAX_VALUE;

    /**
     * Counts a message that was delivered.
     *
     * @param frameLength its length in the buffer, in bytes
     * @param messageLength its length without the header, in bytes
     */
    void add(int frameLength, int messageLength) {
        deliveredPosition += frameLength;
        count++;
        length += messageLength;
        confirmations.published(deliveredPosition, count);
    }

    /** Counts all messages added from now on as unconfirmed, regardless of later calls to {@link #confirm}. */
    void loseFurther() {
        lostPosition = Math.min(lostPosition, deliveredPosition);
    }

    /** Returns true when {@link #confirm} and {@link #makeRoom} must be called before the next message. */
    boolean isFull() {
        return confirmations.isFull();
    }

    /** Removes the confirmed samples, and others if too many remain. */
    void makeRoom() {
        confirmations.makeRoom(confirmedPosition);
    }

    /** Sets the position up to which the broker has consumed the buffer. */
    void confirm(long consumedPosition) {
        confirmedPosition = Math.min(consumedPosition, lostPosition);
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

    long count() {
        return count;
    }

    /** Returns the total length of the messages in bytes, without their headers. */
    long length() {
        return length;
    }

    /** Returns the number of messages that are not known to have been consumed; it may be too high. */
    long unconfirmedCount() {
        if (isConfirmed()) {
            return 0;
        }
        return count - (confirmations == null ? confirmedCount : confirmations.countAt(confirmedPosition));
    }

    /** Returns the number of bytes that are not known to have been consumed, including headers. */
    long unconfirmedLength() {
        return deliveredPosition - confirmedPosition;
    }
}
