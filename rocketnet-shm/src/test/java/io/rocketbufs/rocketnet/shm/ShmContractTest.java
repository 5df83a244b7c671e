package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;

final class ShmContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new ShmTransportProvider().open(ShmEnds.config(config, ""));
    }

    @Override
    protected boolean sharesFiles() {
        return true;
    }
}
