package io.rocketbufs.rbmq.client;

/**
 * The failure of a request to a topic without subscribers, which is known at once, without waiting for the time-out.
 * Its reason is {@link RequestException.Reason#NO_RESPONDERS}.
 */
public final class NoRespondersException extends RequestException {
    private static final long serialVersionUID = 1L;

    NoRespondersException(String topic) {
        super(
                Reason.NO_RESPONDERS,
                "request to topic \"" + topic + "\": there is no responder: the topic has no subscribers, or the last"
                        + " subscriber left before it replied; start a responder");
    }
}
