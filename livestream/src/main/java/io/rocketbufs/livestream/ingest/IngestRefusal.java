package io.rocketbufs.livestream.ingest;

/** An exception thrown when data from a source is refused. The message contains the reason. */
final class IngestRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The HTTP status of the response. */
    private final int status;

    IngestRefusal(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
