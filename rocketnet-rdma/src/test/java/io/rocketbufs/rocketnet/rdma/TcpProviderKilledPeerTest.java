package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.contract.KilledPeerContract;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

@Tag("once")
final class TcpProviderKilledPeerTest extends KilledPeerContract {
    /**
     * A limit that is long enough for a busy machine. The failure's code shows that the loss was reported and not
     * detected by a missed heartbeat.
     */
    private static final Duration SOON = Duration.ofSeconds(60);

    TcpProviderKilledPeerTest() {
        super("rocketbufs { transport = rdma, rdma.provider = tcp }", "127.0.0.1", 20, SOON);
    }
}
