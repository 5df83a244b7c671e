package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;

/**
 * A handler of the data that a source sends in one request or on one connection.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
interface Body {
    /**
     * Accepts the next bytes.
     *
     * @return false when the bytes currently cannot be accepted; the caller must try again with the same bytes
     * @throws IngestRefusal when the body is refused; its data has then been discarded
     */
    boolean take(ByteBuf bytes);

    /**
     * Completes the body.
     *
     * @return false when the body currently cannot be completed; the caller must try again
     * @throws IngestRefusal when the body is invalid; its data has then been discarded
     */
    boolean end();

    /** Returns the name of the body's stream. */
    String stream();

    /** Called when the body was truncated or is no longer needed. */
    void abort();
}
