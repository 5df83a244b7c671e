package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The complete transport contract with completions that the monitor passes to a worker. */
@Tag("slow")
final class WholeTcpProviderWithWorkerContractTest extends OneSidedTransportContract {
    @Override
    protected Transport open(Config config) {
        return TcpProviderWithWorkerContractTest.transport(config);
    }
}
