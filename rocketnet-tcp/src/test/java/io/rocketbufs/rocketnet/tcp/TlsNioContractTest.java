package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.contract.TransportContract;
import io.rocketbufs.rocketnet.Transport;
import org.junit.jupiter.api.Tag;

@Tag("slow")
final class TlsNioContractTest extends TransportContract {
    @Override
    protected Transport open(Config config) {
        return new TlsTransportProvider().open(TlsFiles.with(TlsFiles.both(config), "rocketbufs.tcp.io = nio"));
    }
}
