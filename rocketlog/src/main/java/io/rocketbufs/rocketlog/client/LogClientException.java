package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogRefusal;

/** A failure of a client. The message names the topic, the reason, and the remedy. */
public final class LogClientException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of a failure, for callers that handle different kinds differently. */
    public enum Code {
        /** The topic does not exist, or was deleted. */
        NO_SUCH_TOPIC,
        /** The offset is beyond the end of the partition. */
        NO_SUCH_OFFSET,
        /**
         * Records that the consumer has not read no longer exist: retention deleted them, or newer records in memory
         * overwrote them.
         */
        DELETED,
        /** A batch in the log is damaged: it differs from the batch that its producer wrote. */
        DAMAGED,
        /** The broker has refused a request, or a batch of records. */
        REFUSED,
        /** The broker did not acknowledge records or respond to a request in time. */
        TIMEOUT,
        /** The broker's disk is full, or has failed. */
        STORAGE,
        /** The client has been closed. */
        CLOSED,
        /** The broker cannot fulfill the request now, but may be able to do so later. */
        NOT_NOW,
        /**
         * The broker cannot give the client access to the logs' memory; the client must use a buffer at the broker
         * instead.
         */
        MODE_UNAVAILABLE
    }

    private final Code code;

    LogClientException(Code code, String message) {
        super(message);
        this.code = code;
    }

    /** Returns the exception for a batch that the broker has refused permanently. */
    static LogClientException refused(long result, String partition) {
        return new LogClientException(
                result == AppendResult.TOPIC_DELETED ? Code.NO_SUCH_TOPIC : Code.REFUSED,
                partition + ": " + AppendResult.reason(result));
    }

    /** Returns the exception for a request that the broker has refused. */
    static LogClientException refused(LogRefusal kind, String reason) {
        Code code = switch (kind) {
            case NO_SUCH_TOPIC -> Code.NO_SUCH_TOPIC;
            case NO_SUCH_OFFSET -> Code.NO_SUCH_OFFSET;
            case STORAGE -> Code.STORAGE;
            case NOT_NOW -> Code.NOT_NOW;
            case MODE_UNAVAILABLE -> Code.MODE_UNAVAILABLE;
            default -> Code.REFUSED;
        };
        return new LogClientException(code, reason);
    }

    /** Returns the kind of failure. */
    public Code code() {
        return code;
    }
}
