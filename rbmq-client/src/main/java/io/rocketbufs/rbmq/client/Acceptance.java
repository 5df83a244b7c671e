package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/**
 * The state of a topic: whether messages are accepted and, if not, the reason.
 *
 * <pre>
 *   accepting &lt;---- interest ----&gt; UNHEARD         with WhenUnheard.DROP
 *       |                              |
 *       +--------------+---------------+
 *                      v
 *       CLOSED, REFUSED, NOT_CONNECTED              the topic has ended
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread reads; changes are guarded by the topic's lock.
 */
final class Acceptance {
    private final String topic;
    private final boolean dropsUnheard;
    /** The reason why messages are refused; null while they are accepted. */
    private volatile PublishResult refusing;

    private volatile Interest interest = Interest.UNKNOWN;
    /** The failure that ended the topic; null before that. */
    private volatile TransportException endCause;

    /** @param dropsUnheard true if messages are refused while the topic has no subscribers */
    Acceptance(String topic, boolean dropsUnheard) {
        this.topic = topic;
        this.dropsUnheard = dropsUnheard;
    }

    /** Returns the reason why messages are refused; null while they are accepted. */
    PublishResult refusing() {
        return refusing;
    }

    /** Returns the result with which the topic has ended; null before that. */
    PublishResult ended() {
        PublishResult why = refusing;
        return why == PublishResult.UNHEARD ? null : why;
    }

    /** Returns the failure that ended the topic; null if the topic has not ended or was closed. */
    TransportException endCause() {
        return endCause;
    }

    /** Returns false if the broker has reported that the topic has no subscribers. */
    boolean hasSubscribers() {
        return interest != Interest.NONE;
    }

    /** Returns the failure of an operation that the topic's end, or the loss of the connection, has made impossible. */
    TransportException failure() {
        TransportException known = endCause;
        PublishResult why = ended();
        return known == null ? failureOf(why == null ? PublishResult.NOT_CONNECTED : why) : known;
    }

    /** Returns the failure of a topic that has ended for the given reason. */
    TransportException failureOf(PublishResult why) {
        return new TransportException(
                TransportException.Code.CLOSED,
                "topic \"" + topic + "\" has ended: "
                        + switch (why) {
                            case NOT_CONNECTED -> "the connection to the broker was lost";
                            case REFUSED -> "the broker refused it";
                            default -> "it was closed";
                        });
    }

    // Changes, under the topic's lock.

    /**
     * Called when the broker reports the topic's subscribers; returns true if this is a change and the topic has not
     * ended.
     */
    boolean onInterest(Interest reported) {
        if (reported == interest || ended() != null) {
            return false;
        }
        interest = reported;
        if (dropsUnheard) {
            refusing = reported == Interest.NONE ? PublishResult.UNHEARD : null;
        }
        return true;
    }

    /** Called when the connection was lost; the next broker will report the topic's subscribers. */
    void forgetInterest() {
        interest = Interest.UNKNOWN;
        refusing = ended();
    }

    /** Called when the application closes the topic, which must not have ended. */
    void close() {
        refusing = PublishResult.CLOSED;
    }

    /** Called when the topic ends; does nothing if it has already ended. */
    void end(PublishResult why, TransportException failure) {
        if (ended() == null) {
            endCause = failure;
            refusing = why;
        }
    }
}
