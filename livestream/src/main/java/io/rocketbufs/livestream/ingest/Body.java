package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;

/**
 * The data that a source sends in one request or connection.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
interface Body {
    /**
     * Accepts the next bytes.
     *
     * @return false when that is not possible at the moment; the caller must try again with the same bytes
     * @throws IngestRefusal when the body is refused; it has been discarded then
     */
    boolean take(ByteBuf bytes);

    /**
     * Completes the body.
     *
     * @return false when that is not possible at the moment; the caller must try again
     * @throws IngestRefusal when the body is invalid; it has been discarded then
     */
    boolean end();

    /** Returns the name of the body's stream. */
    String stream();

    /** Called when the body was cut off or is no longer needed. */
    void abort();
}
