package io.rocketbufs;

import java.nio.ByteBuffer;

/** Is told about control messages of the peer's application. */
@FunctionalInterface
public interface ControlMessageCallback {
    /**
     * A control message arrived, in order with the data. Called on the connection's worker; must not block.
     *
     * @param message big-endian, valid during the call only
     */
    void onControlMessage(ByteBuffer message);
}
