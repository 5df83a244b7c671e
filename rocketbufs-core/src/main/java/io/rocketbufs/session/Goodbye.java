package io.rocketbufs.session;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.TextLayout;
import java.nio.ByteBuffer;

/**
 * The content of a GOODBYE.
 *
 * @param tag {@link TextLayout#TEMPORARY} for a temporary refusal; otherwise, 0
 */
record Goodbye(String reason, int tag) {
    /** Returns the GOODBYE that refuses a connection. The refusal is temporary if a resource is exhausted. */
    static Goodbye refusal(RuntimeException cause) {
        boolean isTemporary =
                cause instanceof TransportException known && known.code() == TransportException.Code.RESOURCES;
        return new Goodbye("refused: " + Reason.of(cause), isTemporary ? TextLayout.TEMPORARY : 0);
    }

    static Goodbye of(ByteBuffer body) {
        return new Goodbye(TextLayout.text(body), TextLayout.tag(body));
    }

    /**
     * Returns the failure of a connection that the peer closed with this reason.
     *
     * @param greeted false if the peer refused the connection
     */
    TransportException failure(String peer, boolean greeted) {
        TransportException.Code refused =
                tag == TextLayout.TEMPORARY ? TransportException.Code.RESOURCES : TransportException.Code.REFUSED;
        return TransportException.deliberate(
                greeted ? TransportException.Code.PEER_LOST : refused, peer + " closed the connection: " + reason);
    }

    ByteBuffer message() {
        return ControlMessages.goodbye(reason, tag);
    }
}
