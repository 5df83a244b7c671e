package io.rocketbufs.rocketnet.rdma;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The suite for the device whose address is in ROCKETBUFS_VERBS_ADDRESS. */
@Tag("verbs")
@Timeout(600)
final class VerbsProviderFewReceivesTest extends FewReceivesSuite {
    VerbsProviderFewReceivesTest() {
        super("verbs", System.getenv("ROCKETBUFS_VERBS_ADDRESS"), 10);
    }
}
