package io.rocketbufs.session;

import java.nio.ByteBuffer;

/** The connection as the application sees it; called on its worker. */
public interface SessionOwner {
    /**
     * Called when the peer has greeted. An exception refuses the connection, with its message as the reason.
     *
     * @param role code of the connecting side's role
     */
    void greeted(int role, byte[] greeting);

    /** Called with a control message of the application, which is valid during the call only. */
    void control(ByteBuffer message);

    /** Called when the connection has ended. {@code failure} is null after a graceful close. */
    void closed(Throwable failure);
}
