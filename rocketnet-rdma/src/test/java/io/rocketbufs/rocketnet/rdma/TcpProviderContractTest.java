package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;

final class TcpProviderContractTest extends OneSidedTransportContract {
    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider()
                .open(config.withValue("rocketbufs.rdma.provider", ConfigValueFactory.fromAnyRef("tcp")));
    }
}
