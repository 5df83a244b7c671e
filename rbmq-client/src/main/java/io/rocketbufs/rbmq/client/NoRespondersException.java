package io.rocketbufs.rbmq.client;

/**
 * The failure of a request to a topic without subscribers. The request fails without waiting for the timeout. The
 * reason is {@link RequestException.Reason#NO_RESPONDERS}. Shortly after the first responder of a topic has subscribed,
 * a request may fail with this exception even though the responder receives it.
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
