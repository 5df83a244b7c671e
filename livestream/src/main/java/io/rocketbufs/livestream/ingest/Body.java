package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;

/**
 * What a source sends in one request or connection.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
interface Body {
    /**
     * Takes the next bytes.
     *
     * @return false when that cannot be now: try again with the same bytes
     * @throws IngestRefusal when the body cannot be taken at all; it has been forgotten then
     */
    boolean take(ByteBuf bytes);

    /**
     * The body is complete.
     *
     * @return false when that cannot be now: try again
     * @throws IngestRefusal when it is not what it should be; it has been forgotten then
     */
    boolean end();

    /** Returns the name of the stream that it belongs to. */
    String stream();

    /** The body has been cut off, or is not wanted any more. */
    void abort();
}
