package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;

class LoopbackContractTest extends TransportContract {
    private final LoopbackNetwork network = new LoopbackNetwork(
            LoopbackOptions.socket().longestControl(16 * 1024).socketCapacity(32 * 1024));

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
