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
     * @return false when that is currently not possible; the caller must try again with the same bytes
     * @throws IngestRefusal when the body is refused; in that case it has been discarded
     */
    boolean take(ByteBuf bytes);

    /**
     * Completes the body.
     *
     * @return false when that is currently not possible; the caller must try again
     * @throws IngestRefusal when the body is invalid; in that case it has been discarded
     */
    boolean end();

    /** Returns the name of the body's stream. */
    String stream();

    /** Called when the body was cut off or is no longer needed. */
    void abort();
}
