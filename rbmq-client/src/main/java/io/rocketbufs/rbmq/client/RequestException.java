package io.rocketbufs.rbmq.client;

import java.util.Objects;

/**
 * A request without a reply. The message names the topic, the reason and, where there is one, the remedy.
 *
 * <p>Only {@link Reason#NO_SPACE} and {@link Reason#REFUSED} mean for certain that no responder has handled the
 * request. In all other cases, a responder may have done so, even if it has left since then.
 */
public class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason why there is no reply. */
    public enum Reason {
        /**
         * The topic has no subscribers, or the last one left before it replied. If the broker or the connection is
         * congested, the requester may not yet know of a first subscriber that has just subscribed.
         */
        NO_RESPONDERS,
        /** No reply has arrived in time, or the reply was lost. */
        TIMEOUT,
        /** A responder has reported an error instead of a reply. The message contains its description. */
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

    /** Creates an exception; its message states what failed. */
    RequestException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** Creates an exception with its cause. */
    RequestException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** Returns why there is no reply. */
    public final Reason reason() {
        return reason;
    }
}
