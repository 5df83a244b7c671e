package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;

/** The suite for the device whose address is in ROCKETBUFS_VERBS_ADDRESS. The device may be slow. */
@Tag("verbs")
final class VerbsProviderKilledPeerTest extends KilledPeerSuite {
    VerbsProviderKilledPeerTest() {
        super("verbs", System.getenv("ROCKETBUFS_VERBS_ADDRESS"), 2);
    }
}
