package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;
import java.util.Optional;

/** Makes the transport "tcp". Public for {@link java.util.ServiceLoader} alone. */
public final class TcpTransportProvider implements TransportProvider {
    @Override
    public String name() {
        return TcpTransport.NAME;
    }

    /** Always empty: where there is no epoll there is NIO, unless the configuration rules it out. */
    @Override
    public Optional<String> unavailabilityCause() {
        return Optional.empty();
    }

    @Override
    public Transport open(Config config) {
        return TcpTransport.open(TcpSettings.from(config));
    }
}
