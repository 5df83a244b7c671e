package io.rocketbufs.livestream.relay;

/** The outcome of appending bytes to a chunk. */
public enum Append {
    /** The bytes are in the buffer. */
    DONE,
    /** The memory is still being sent; try again soon. */
    TRY_AGAIN,
    /** The chunk would exceed the limit. */
    TOO_LONG,
    /** The stream has ended. */
    CLOSED
}
