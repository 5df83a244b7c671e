package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;

/** On a device whose address ROCKETBUFS_VERBS_ADDRESS names, which may be slow. */
@Tag("verbs")
final class VerbsProviderKilledPeerTest extends KilledPeerSuite {
    VerbsProviderKilledPeerTest() {
        super("verbs", System.getenv("ROCKETBUFS_VERBS_ADDRESS"), 2);
    }
}
