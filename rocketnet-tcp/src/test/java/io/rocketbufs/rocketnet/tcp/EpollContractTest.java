package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;

/**
 * The transport contract with epoll. On every machine, it uses several workers, so that a node's connections have
 * different workers.
 */
final class EpollContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(ConfigFactory.parseString("rocketbufs.tcp { io = epoll, num-threads = 3 }")
                        .withFallback(config));
    }
}
