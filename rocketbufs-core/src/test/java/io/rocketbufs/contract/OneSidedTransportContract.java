package io.rocketbufs.contract;

import org.junit.jupiter.api.Nested;

/** The behaviour of transports whose senders address the peer's memory. */
public abstract class OneSidedTransportContract extends TransportContract {
    @Nested
    class Puts extends PutContract {
        Puts() {
            super(stage());
        }
    }
}
