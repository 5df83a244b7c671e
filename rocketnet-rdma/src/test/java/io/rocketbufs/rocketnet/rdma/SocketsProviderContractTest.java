package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The transport contract over the provider sockets, which serves tests and takes minutes for it. */
@Tag("slow")
final class SocketsProviderContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider()
                .open(config.withValue("rocketbufs.rdma.provider", ConfigValueFactory.fromAnyRef("sockets")));
    }
}
