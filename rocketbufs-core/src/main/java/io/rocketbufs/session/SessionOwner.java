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

    /** Called with a control message of the application; it is valid during the call. */
    void control(ByteBuffer message);

    /** Called when the connection is over. {@code failure} is null after an orderly close. */
    void closed(Throwable failure);
}
