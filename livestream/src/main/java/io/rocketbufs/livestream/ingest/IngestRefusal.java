package io.rocketbufs.livestream.ingest;

/** Thrown when data of a source is refused; the message contains the reason. */
final class IngestRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The HTTP status. */
    private final int status;

    IngestRefusal(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
