package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;

/** The protocol that runs on a {@link Link}. */
public interface LinkOwner {
    /** Ends the connection at once. Any thread. */
    void fail(TransportException cause);

    /**
     * Ends the connection for a local reason, and sends the reason to the peer. Any thread; only the first call has an
     * effect.
     */
    void disconnect(String reason);

    /** Called on the worker once, when nothing further is sent after {@link Sender#finish()}. */
    void sendingFinished();
}
