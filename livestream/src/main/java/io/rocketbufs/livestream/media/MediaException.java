package io.rocketbufs.livestream.media;

/** What a source sends is not what it should be; the message says what. */
public final class MediaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what is wrong. */
    public MediaException(String message) {
        super(message);
    }
}
