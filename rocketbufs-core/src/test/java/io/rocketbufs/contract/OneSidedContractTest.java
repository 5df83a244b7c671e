package io.rocketbufs.contract;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.loopback.LoopbackNetwork;
import io.rocketbufs.rocketnet.loopback.LoopbackOptions;

class OneSidedContractTest extends OneSidedTransportContract {
    private final LoopbackNetwork network = new LoopbackNetwork(LoopbackOptions.oneSided()
            .orderedPut(4096)
            .longestControl(16 * 1024)
            .socketCapacity(32 * 1024));

    @Override
    protected Transport open(Config config) {
        return network.transport("loopback");
    }

    @Override
    protected void onOverwrittenWrites() {
        network.checkWrites(false);
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
