package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.contract.OneSidedTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The transport contract on the device whose address is in ROCKETBUFS_VERBS_ADDRESS. */
@Tag("verbs")
@Timeout(600)
final class VerbsProviderContractTest extends OneSidedTransportContract {
    @Override
    protected String host() {
        return System.getenv("ROCKETBUFS_VERBS_ADDRESS");
    }

    @Override
    protected Transport open(Config config) {
        return new RdmaTransportProvider()
                .open(config.withValue("rocketbufs.rdma.provider", ConfigValueFactory.fromAnyRef("verbs")));
    }
}
