package io.rocketbufs.rbmq.client;

/**
 * How many messages a topic's publisher has delivered into its buffer, and how many of them the broker has consumed.
 *
 * <p><b>Thread-safety:</b> under the topic's lock.
 */
final class PublishedMessages {
    /** Null after {@link #close}: the handle of a topic that is over keeps no samples. */
    private Confirmations confirmations = new Confirmations();

    private long count;
    private long length;
    private long deliveredPosition;
    private long confirmedPosition;
    /** Set by {@link #close}, as long as nothing can be counted any more. */
    private long confirmedCount;

    private long lostPosition = Long.MAX_VALUE;

    /**
     * Counts a message that was delivered.
     *
     * @param frameLength its bytes in the buffer
     * @param messageLength its bytes without the frame
     */
    void add(int frameLength, int messageLength) {
        deliveredPosition += frameLength;
        count++;
        length += messageLength;
        confirmations.published(deliveredPosition, count);
    }

    /** Counts every further message as unconfirmed, whatever {@link #confirm} is told. */
    void loseFurther() {
        lostPosition = Math.min(lostPosition, deliveredPosition);
    }

    /** Returns true when {@link #confirm} and {@link #makeRoom} are due before the next message. */
    boolean isFull() {
        return confirmations.isFull();
    }

    /** Forgets samples of what is confirmed, and others if that is not enough. */
    void makeRoom() {
        confirmations.makeRoom(confirmedPosition);
    }

    /** Notes the position up to which the broker has consumed. */
    void confirm(long consumedPosition) {
        confirmedPosition = Math.min(consumedPosition, lostPosition);
    }

    /** Notes that nothing delivered by now will ever be confirmed or needs to be. */
    void confirmAll() {
        confirmedPosition = deliveredPosition;
    }

    /** Keeps the numbers as they are, because the buffer is going to be removed. */
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

    /** Bytes of the messages, without frames. */
    long length() {
        return length;
    }

    /** Messages that are not known to be consumed, perhaps some too many. */
    long unconfirmedCount() {
        if (isConfirmed()) {
            return 0;
        }
        return count - (confirmations == null ? confirmedCount : confirmations.countAt(confirmedPosition));
    }

    /** Bytes that are not known to be consumed, with frames. */
    long unconfirmedLength() {
        return deliveredPosition - confirmedPosition;
    }
}
