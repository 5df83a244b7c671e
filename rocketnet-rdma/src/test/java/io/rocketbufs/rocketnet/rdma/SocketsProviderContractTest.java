package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/**
 * The transport contract with the sockets provider, which is intended only for tests. The suite takes several minutes.
 */
@Tag("slow")
final class SocketsProviderContractTest extends OneSidedTransportContract {
    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider()
                .open(config.withValue("rocketbufs.rdma.provider", ConfigValueFactory.fromAnyRef("sockets")));
    }
}
