package io.rocketbufs.examples;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketnet.TransportException;

/** The configuration of RDMA for tests, over libfabric's tcp provider, which needs no device. */
final class Rdma {
    static final String PROVIDER = "rocketbufs.rdma.provider=tcp";

    private Rdma() {}

    /** Skips the test, with a message, if libfabric is not installed. */
    static void assume() {
        try (RocketBufs rocketBufs =
                RocketBufs.open(ConfigFactory.parseString(PROVIDER).withFallback(ConfigFactory.load()))) {
            rocketBufs.localAddress("rdma");
        } catch (TransportException e) {
            assumeTrue(e.code() != TransportException.Code.UNAVAILABLE, e.getMessage());
            throw e;
        }
    }
}
