package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;

/** The protocol that runs on a {@link Link}. */
public interface LinkOwner {
    /** Ends the connection at once. Any thread. */
    void fail(TransportException cause);

    /** Ends the connection for a reason of ours, and tells the peer. Any thread; the first call counts. */
    void disconnect(String reason);

    /** Called on the worker once, when nothing more is sent after {@link Sender#finish()}. */
    void sendingFinished();
}
