package io.rocketbufs;

import java.nio.ByteBuffer;

/** The callback invoked with each control message from the peer's application. */
@FunctionalInterface
public interface ControlMessageCallback {
    /**
     * Called when a control message has arrived, in order with the data. Runs on the connection's worker; must not
     * block.
     *
     * @param message a big-endian buffer with the message, valid only during the call
     */
    void onControlMessage(ByteBuffer message);
}
