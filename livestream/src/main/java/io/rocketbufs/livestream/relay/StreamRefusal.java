package io.rocketbufs.livestream.relay;

/** An exception thrown when data from a source is refused. The message contains the reason. */
public final class StreamRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason for a refusal. */
    public enum Reason {
        /** The stream has another source. */
        TAKEN,
        /** The maximum number of streams is reached. */
        FULL
    }

    private final Reason reason;

    StreamRefusal(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns the reason. */
    public Reason reason() {
        return reason;
    }
}
