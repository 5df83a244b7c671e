package io.rocketbufs.session;

import java.nio.ByteBuffer;

/** The receiver of a session's events. Called on the connection's worker. */
public interface SessionOwner {
    /**
     * Called when the peer's greeting has arrived. Throwing an exception refuses the connection, with the exception's
     * message as the reason.
     *
     * @param role code of the connecting side's role
     */
    void greeted(int role, byte[] greeting);

    /**
     * Called when a control message from the peer's application has arrived. The message is valid only during the call.
     */
    void control(ByteBuffer message);

    /** Called when the connection has ended. After a graceful close, {@code failure} is null. */
    void closed(Throwable failure);
}
