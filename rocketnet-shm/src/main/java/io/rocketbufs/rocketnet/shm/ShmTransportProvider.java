package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;

/** The provider of the transport "shm". Public only for {@link java.util.ServiceLoader}. */
public final class ShmTransportProvider implements TransportProvider {
    @Override
    public String name() {
        return ShmTransport.NAME;
    }

    @Override
    public void check(Config config) {
        ShmSettings.from(config);
    }

    @Override
    public Transport open(Config config) {
        return ShmTransport.open(ShmSettings.from(config));
    }
}
