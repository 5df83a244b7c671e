package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.contract.SharingTransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The transport contract with the shortest channels, and with several workers that poll before they block. */
@Tag("slow")
final class ShmVariantContractTest extends SharingTransportContract {
    @Override
    protected Transport open(Config config) {
        return new ShmTransportProvider()
                .open(ShmEnds.config(config, "num-threads = 3, spin-us = 1000, channel-length = 256 KiB"));
    }
}
