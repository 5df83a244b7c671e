package io.rocketbufs.contract;

import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of the peer's memory over a transport that supports reads but not atomic operations, like libfabric's tcp
 * provider.
 */
@Timeout(600)
class PartlyNativeMemoryTest {
    private final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackOptions.oneSided().atomics(false).longestControl(16 * 1024).socketCapacity(32 * 1024));
    private final Stage stage = new Stage(config -> network.transport("loopback"), "127.0.0.1", () -> {});

    @AfterEach
    void close() {
        try {
            stage.close();
        } finally {
            network.close();
        }
    }

    @Nested
    class Memory extends RemoteMemoryContract {
        Memory() {
            super(stage);
        }
    }

    @Nested
    class Revocations extends RevocationContract {
        Revocations() {
            super(stage);
        }
    }
}
