package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.contract.TransportVariantContract;
import io.rocketbufs.rocketnet.Transport;

/**
 * The variant part of the contract over TLS. TLS changes only the byte stream, so {@link TlsContractTest} covers the
 * other groups of the contract.
 */
final class TlsEpollContractTest extends TransportVariantContract {
    @Override
    protected Transport open(Config config) {
        return new TlsTransportProvider().open(TlsFiles.with(TlsFiles.both(config), "rocketbufs.tcp.io = epoll"));
    }
}
