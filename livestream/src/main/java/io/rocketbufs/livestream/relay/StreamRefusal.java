package io.rocketbufs.livestream.relay;

/** A source cannot have what it wants; the message says why. */
public final class StreamRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** The stream has another source. */
        TAKEN,
        /** There are as many streams as there may be. */
        FULL
    }

    /** Why. */
    private final Reason reason;

    StreamRefusal(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }
}
