package io.rocketbufs.rbmq.client;

import java.util.Objects;

/**
 * The failure of a request that receives no reply. The message names the topic, the reason and, if there is one, the
 * remedy.
 *
 * <p>Only {@link Reason#NO_SPACE} and {@link Reason#REFUSED} guarantee that no responder has handled the request. In
 * all other cases, a responder may have handled it, even if the responder has left since then.
 */
public class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason why a request receives no reply. */
    public enum Reason {
        /**
         * The topic has no subscribers, or the last one left before it replied. If the broker or the connection is
         * congested, the client may not yet have been notified of a first subscriber that has just subscribed.
         */
        NO_RESPONDERS,
        /** No reply arrived in time, or the reply was lost. */
        TIMEOUT,
        /** A responder replied with an error. The exception's message contains its description. */
        FAILED,
        /**
         * The request was not sent because the buffer for messages to the topic is full, or too many requests wait for
         * the client's inbox.
         */
        NO_SPACE,
        /** The broker refused the topic or the inbox, or does not support requests. */
        REFUSED,
        /**
         * A connection to the broker was lost. A responder may have received the request. Until the client has
         * reconnected, further requests fail immediately.
         */
        NOT_CONNECTED,
        /** The client, or its publisher of the topic, is closed. */
        CLOSED
    }

    /** The reason why there is no reply. */
    private final Reason reason;

    /** Creates an exception whose message states what failed. */
    RequestException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** Creates an exception with its cause. */
    RequestException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** Returns the reason why there is no reply. */
    public final Reason reason() {
        return reason;
    }
}
