package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TransportVariantContract;
import io.rocketbufs.rocketnet.Transport;

/**
 * The variant part of the contract with completions that the monitor passes to a worker.
 * {@link WholeTcpProviderWithWorkerContractTest} runs the other groups of the contract.
 */
final class TcpProviderWithWorkerContractTest extends TransportVariantContract {
    static Transport transport(Config config) {
        return new RdmaTransportProvider().open(RdmaEnds.config(config, "provider = tcp", "num-threads = 1"));
    }

    @Override
    protected Transport open(Config config) {
        return transport(config);
    }
}
