package io.rocketbufs.livestream.ingest;

/** What a source sends is refused; the message says why. */
final class IngestRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The status that HTTP has for it. */
    private final int status;

    IngestRefusal(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
