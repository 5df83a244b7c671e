package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.contract.KilledPeerContract;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

@Tag("once")
final class ShmKilledPeerTest extends KilledPeerContract {
    private static final String SETTINGS =
            "rocketbufs { transport = shm, shm.directory = \"" + ShmEnds.directory() + "\" }";

    ShmKilledPeerTest() {
        super(SETTINGS, "127.0.0.1", 20, Duration.ofSeconds(60));
    }

    @Override
    protected long descriptors() {
        return ShmEnds.descriptors();
    }
}
