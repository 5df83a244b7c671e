package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.rocketnet.Transport;

final class TlsAllocationTest extends TcpAllocationSuite {
    TlsAllocationTest() {
        super("epoll", 0.5, 0.5);
    }

    @Override
    Transport open(Config config) {
        return new TlsTransportProvider().open(TlsFiles.both(config));
    }
}
