package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;

/** The provider of the transport "tcp". Public only for {@link java.util.ServiceLoader}. */
public final class TcpTransportProvider implements TransportProvider {
    @Override
    public String name() {
        return TcpTransport.NAME;
    }

    @Override
    public void check(Config config) {
        TcpSettings.from(config);
    }

    @Override
    public Transport open(Config config) {
        return TcpTransport.open(TcpSettings.from(config));
    }

    @Override
    public Reach reach(Config config) {
        return Reach.NETWORK;
    }
}
