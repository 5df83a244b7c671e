package io.rocketbufs.livestream.relay;

/** The outcome of appending bytes to a chunk. */
public enum Append {
    /** The bytes are in the buffer. */
    DONE,
    /**
     * The memory is not available yet, because its old contents are still being sent. The caller must retry shortly.
     */
    TRY_AGAIN,
    /** The chunk would exceed its maximum length. */
    TOO_LONG,
    /** The stream has ended. */
    CLOSED
}
