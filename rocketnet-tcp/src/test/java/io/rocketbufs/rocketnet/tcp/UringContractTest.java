package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.BeforeAll;

final class UringContractTest extends TransportContract {
    @BeforeAll
    static void assumeAvailable() {
        Uring.assumeAvailable();
    }

    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(config.withValue("rocketbufs.tcp.io", ConfigValueFactory.fromAnyRef("io_uring")));
    }
}
