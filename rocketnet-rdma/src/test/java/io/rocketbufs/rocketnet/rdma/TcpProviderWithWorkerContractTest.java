package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;

/** The transport contract with completions that the monitor passes to a worker. */
final class TcpProviderWithWorkerContractTest extends OneSidedTransportContract {
    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider().open(RdmaEnds.config(config, "provider = tcp", "num-threads = 1"));
    }
}
