package io.rocketbufs.contract;

import io.rocketbufs.memory.MappedFile;
import org.junit.jupiter.api.Nested;

/**
 * The behaviour of transports that let processes on this machine use files and words themselves. The suites for
 * one-sided operations run on shared memory, which is always shared as a whole. They skip tests that need parts of a
 * region or writes to memory that the sender addresses, because these transports support neither.
 */
public abstract class SharingTransportContract extends TransportContract {
    @Override
    protected final boolean sharesFiles() {
        return true;
    }

    @Nested
    class Grants extends GrantContract {
        Grants() {
            super(stage(), length -> MappedFile.memory("contract", length));
        }
    }

    @Nested
    class Reads extends ReadContract {
        Reads() {
            super(stage(), length -> MappedFile.memory("contract", length));
        }
    }

    @Nested
    class Atomics extends AtomicContract {
        Atomics() {
            super(stage(), length -> MappedFile.words("contract", length));
        }
    }

    @Nested
    class Revocations extends RevokeContract {
        Revocations() {
            super(stage(), length -> MappedFile.memory("contract", length));
        }
    }
}
