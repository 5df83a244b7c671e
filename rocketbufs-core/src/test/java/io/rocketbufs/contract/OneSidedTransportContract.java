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

    @Nested
    class Grants extends GrantContract {
        Grants() {
            super(stage());
        }
    }

    @Nested
    class Reads extends ReadContract {
        Reads() {
            super(stage());
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(stage());
        }
    }

    @Nested
    class Revocations extends RevokeContract {
        Revocations() {
            super(stage());
        }
    }
}
