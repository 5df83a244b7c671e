package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.contract.KilledPeerContract;
import java.time.Duration;

final class TcpProviderKilledPeerTest extends KilledPeerContract {
    /** Long enough for a busy machine; the code shows that the loss was reported, and no heartbeat was missed. */
    private static final Duration SOON = Duration.ofSeconds(60);

    TcpProviderKilledPeerTest() {
        super("rocketbufs { transport = rdma, rdma.provider = tcp }", "127.0.0.1", 20, SOON);
    }
}
