package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;

class TcpContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TcpTransportProvider().open(config);
    }
}
