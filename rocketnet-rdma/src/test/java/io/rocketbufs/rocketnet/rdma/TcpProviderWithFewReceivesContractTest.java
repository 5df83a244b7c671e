package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/**
 * The transport contract without injected writes. There are so few receives, and the window is so small, that both are
 * constantly used up.
 */
@Tag("slow")
final class TcpProviderWithFewReceivesContractTest extends OneSidedTransportContract {
    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider()
                .open(RdmaEnds.config(
                        config,
                        "provider = tcp",
                        "receives = 4",
                        "window = 8",
                        "signal-interval = 2",
                        "inject-threshold = 0"));
    }
}
