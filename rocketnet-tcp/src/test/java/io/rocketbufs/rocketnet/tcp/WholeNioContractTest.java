package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The complete transport contract with NIO. */
@Tag("slow")
final class WholeNioContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return NioContractTest.transport(config);
    }
}
