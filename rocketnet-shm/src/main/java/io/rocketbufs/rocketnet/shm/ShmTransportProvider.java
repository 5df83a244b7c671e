package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.memory.CLibrary;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;

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

    /** Returns MACHINE, or UNSELECTED on a system that this transport does not support. */
    @Override
    public Reach reach(Config config) {
        return CLibrary.isSupported() ? Reach.MACHINE : Reach.UNSELECTED;
    }

    @Override
    public InetSocketAddress route(String place, InetSocketAddress contacted, Config config) {
        try {
            return ShmPlace.parse(place).route(ShmPlace.readBootId(), ShmTransport.directory(ShmSettings.from(config)));
        } catch (IOException | LinkageError | IllegalArgumentException e) {
            throw ShmFailures.noRoute(Reason.of(e));
        }
    }
}
