package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;

/**
 * A handler for the data that a source sends in one request or on one connection.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
interface Body {
    /**
     * Accepts the next bytes.
     *
     * @return false if the bytes currently cannot be accepted; the caller must try again with the same bytes
     * @throws IngestRefusal if the body is refused; its data has then already been discarded
     */
    boolean take(ByteBuf bytes);

    /**
     * Completes the body.
     *
     * @return false if the body currently cannot be completed; the caller must try again
     * @throws IngestRefusal if the body is invalid; its data has then already been discarded
     */
    boolean end();

    /** Returns the name of the stream to which the body belongs. */
    String stream();

    /** Called when the body has been truncated or is no longer needed. */
    void abort();
}
