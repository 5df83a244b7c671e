package io.rocketbufs.rbmq.client;

/**
 * Messages that a subscriber has missed.
 *
 * @param topic the topic. For {@link Reason#PUBLISHER_LEFT} and {@link Reason#OTHER_BROKER}, it may also be a filter
 *     with wildcards, which stands for all topics that match it
 * @param publisher number of the publisher whose messages are missing; 0 if that is not known
 * @param lostLength number of missing bytes, including headers; {@link #UNKNOWN} if the broker cannot state it
 * @param reason the reason why they are missing
 */
public record Gap(String topic, int publisher, long lostLength, Reason reason) {
    /** The length of a gap if neither the client nor the broker knows it. The actual length may be 0. */
    public static final long UNKNOWN = -1;

    /** The reason for a gap. */
    public enum Reason {
        /**
         * The subscriber was too slow, or did not subscribe to the publisher's buffer within the broker's
         * {@code rbmq.broker.join-timeout}.
         */
        SKIPPED,
        /** The connection ended permanently while these messages waited for a paused subscription. */
        DISCONNECTED,
        /**
         * The messages were published while the client was disconnected, and the broker no longer had them. The length
         * is {@link #UNKNOWN} if older messages are missing because the subscription was added too late to receive
         * them.
         */
        RECONNECTED,
        /**
         * A publisher left while the client was disconnected, so its last messages may be missing. The length is
         * {@link #UNKNOWN}.
         */
        PUBLISHER_LEFT,
        /**
         * The client has reconnected to another broker, or its broker was restarted. The gap includes messages that the
         * previous broker had not delivered, and messages published before this subscription was established again. The
         * length is {@link #UNKNOWN}.
         */
        OTHER_BROKER
    }

    /** Returns true if the messages were lost during this connection or because it ended. */
    boolean isOfThisConnection() {
        return reason == Reason.SKIPPED || reason == Reason.DISCONNECTED;
    }

    /** Returns false if the length is {@link #UNKNOWN}. */
    public boolean isKnown() {
        return lostLength != UNKNOWN;
    }
}
