package io.rocketbufs.delivery;

import java.nio.ByteBuffer;

/** The connection as the application sees it; called on its worker. */
public interface EndpointOwner {
    /**
     * The peer has greeted. Whatever is thrown refuses the connection, with the message as the reason.
     *
     * @param role code of the connecting side's role
     */
    void greeted(int role, byte[] greeting);

    /** A control message of the application; valid during the call. */
    void control(ByteBuffer message);

    /** The connection is over. {@code failure} is null after an orderly close. */
    void closed(Throwable failure);
}
