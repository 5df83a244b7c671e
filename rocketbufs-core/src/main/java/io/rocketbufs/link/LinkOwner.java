package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;

/** The protocol that runs on a {@link Link}. */
public interface LinkOwner {
    /** Ends the connection immediately. Any thread. */
    void fail(TransportException cause);

    /**
     * Ends the connection for a local reason and sends the reason to the peer. Any thread; only the first call has an
     * effect.
     */
    void disconnect(String reason);

    /** Called once, on the worker, when sending has ended after {@link Sender#finish()}. */
    void sendingFinished();
}
