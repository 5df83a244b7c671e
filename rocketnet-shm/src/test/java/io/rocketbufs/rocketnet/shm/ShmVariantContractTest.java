package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.contract.SharingTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The transport contract with several workers, which poll before they block, and the shortest channels. */
@Tag("slow")
final class ShmVariantContractTest extends SharingTransportContract {
    @Override
    protected Transport open(Config config) {
        return new ShmTransportProvider()
                .open(ShmEnds.config(config, "num-threads = 3, spin-us = 1000, channel-length = 256 KiB"));
    }
}
