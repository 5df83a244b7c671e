package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.contract.KilledPeerContract;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** The suite for the device whose address is in ROCKETBUFS_VERBS_ADDRESS. The device may be slow. */
@Tag("verbs")
final class VerbsProviderKilledPeerTest extends KilledPeerContract {
    /** Much shorter than the heartbeat timeout that detects a silent peer. */
    private static final Duration SOON = Duration.ofSeconds(5);

    VerbsProviderKilledPeerTest() {
        super(
                "rocketbufs { transport = rdma, rdma.provider = verbs }",
                System.getenv("ROCKETBUFS_VERBS_ADDRESS"),
                2,
                SOON);
    }
}
