package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;
import org.junit.jupiter.api.Tag;

/**
 * The transport contract with several workers on any machine, over connections in which the receiver places the data.
 */
@Tag("slow")
class LoopbackWithWorkersContractTest extends TransportContract {
    private final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackOptions.socket().workers(3).longestControl(16 * 1024).socketCapacity(32 * 1024));

    @Override
    protected Transport open(Config config) {
        return network.transport("loopback");
    }

    @Override
    protected boolean allocates() {
        return true;
    }

    @Override
    protected void closeNetwork() {
        network.close();
    }
}
