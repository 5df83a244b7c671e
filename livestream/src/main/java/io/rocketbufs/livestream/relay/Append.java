package io.rocketbufs.livestream.relay;

/** What became of bytes for a chunk. */
public enum Append {
    /** They are in the buffer. */
    DONE,
    /** The place is still being sent: try again soon. */
    TRY_AGAIN,
    /** The chunk would be longer than the longest. */
    TOO_LONG,
    /** The stream has ended. */
    CLOSED
}
