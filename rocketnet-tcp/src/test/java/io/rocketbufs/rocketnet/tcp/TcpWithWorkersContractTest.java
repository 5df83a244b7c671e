package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/**
 * The transport contract with epoll and, on every machine, several workers. {@link NioContractTest} also uses several
 * workers.
 */
@Tag("slow")
final class TcpWithWorkersContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(config.withValue("rocketbufs.tcp.num-threads", ConfigValueFactory.fromAnyRef(3)));
    }
}
