package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.contract.SharingTransportContract;
import io.rocketbufs.rocketnet.Transport;

final class ShmContractTest extends SharingTransportContract {
    @Override
    protected Transport open(Config config) {
        return new ShmTransportProvider().open(ShmEnds.config(config, ""));
    }
}
