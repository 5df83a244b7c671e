package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

/** The complete transport contract over TLS with epoll. */
@Tag("slow")
final class TlsContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TlsTransportProvider().open(TlsFiles.with(TlsFiles.both(config), "rocketbufs.tcp.io = epoll"));
    }
}
