package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;

final class EpollContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(config.withValue("rocketbufs.tcp.io", ConfigValueFactory.fromAnyRef("epoll")));
    }
}
