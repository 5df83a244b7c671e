package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.contract.TransportVariantContract;
import io.rocketbufs.rocketnet.Transport;

/**
 * The variant part of the contract with NIO. NIO changes only how bytes reach a socket, so {@link WholeNioContractTest}
 * runs the other groups of the contract.
 */
final class NioContractTest extends TransportVariantContract {
    /** Opens a transport with several workers on every machine, so that a node's connections have different workers. */
    static Transport transport(Config config) {
        return new TcpTransportProvider()
                .open(ConfigFactory.parseString("rocketbufs.tcp { io = nio, num-threads = 3 }")
                        .withFallback(config));
    }

    @Override
    protected Transport open(Config config) {
        return transport(config);
    }
}
