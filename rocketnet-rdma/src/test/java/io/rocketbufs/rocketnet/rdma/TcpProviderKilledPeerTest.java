package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.contract.KilledPeerContract;
import java.time.Duration;

final class TcpProviderKilledPeerTest extends KilledPeerContract {
    /** Much shorter than the heartbeat timeout that detects a silent peer. */
    private static final Duration SOON = Duration.ofSeconds(60);

    TcpProviderKilledPeerTest() {
        super("rocketbufs { transport = rdma, rdma.provider = tcp }", "127.0.0.1", 20, SOON);
    }
}
