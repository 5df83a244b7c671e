package io.rocketbufs.livestream.media;

/** An exception thrown when a source sends invalid media. The exception's message describes the error. */
public final class MediaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a description of the error. */
    public MediaException(String message) {
        super(message);
    }
}
