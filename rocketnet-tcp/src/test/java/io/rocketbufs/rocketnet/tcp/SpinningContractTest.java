package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The transport contract with workers that poll for a limited time before they block. */
@Tag("slow")
final class SpinningContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider()
                .open(config.withValue("rocketbufs.tcp.spin-us", ConfigValueFactory.fromAnyRef(1000)));
    }
}
