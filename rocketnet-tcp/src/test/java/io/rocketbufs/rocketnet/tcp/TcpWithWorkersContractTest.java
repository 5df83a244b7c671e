package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;

/**
 * The transport contract with several workers on any machine, so that the connections of a node have different workers.
 */
final class TcpWithWorkersContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(config.withValue("rocketbufs.tcp.num-threads", ConfigValueFactory.fromAnyRef(3)));
    }
}
