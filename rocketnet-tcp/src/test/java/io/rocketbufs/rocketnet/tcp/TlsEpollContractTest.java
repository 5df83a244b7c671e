package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.contract.TransportVariantContract;
import io.rocketbufs.rocketnet.Transport;

/** TLS changes only the stream of bytes, so the other groups of the contract are for {@link TlsContractTest}. */
final class TlsEpollContractTest extends TransportVariantContract {
    @Override
    protected Transport open(Config config) {
        return new TlsTransportProvider().open(TlsFiles.with(TlsFiles.both(config), "rocketbufs.tcp.io = epoll"));
    }
}
