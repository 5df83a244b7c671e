package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportChoice;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiUnavailableException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The provider of the transport "rdma". Public only for {@link java.util.ServiceLoader}. */
public final class RdmaTransportProvider implements TransportProvider {
    @Override
    public String name() {
        return RdmaTransport.NAME;
    }

    @Override
    public void check(Config config) {
        RdmaSettings.from(config);
    }

    @Override
    public Transport open(Config config) {
        RdmaSettings settings = RdmaSettings.from(config);
        Ofi ofi = load(settings);
        return settings.provider().equals(RdmaSettings.AUTO)
                ? best(ofi, settings)
                : new RdmaTransport(ofi, settings, settings.provider());
    }

    @Override
    public Reach reach(Config config) {
        return Reach.FABRIC;
    }

    @Override
    public InetSocketAddress route(String place, InetSocketAddress contacted, Config config) {
        RdmaPlace offered = RdmaPlace.parse(place);
        RdmaSettings settings = RdmaSettings.from(config);
        return offered.route(load(settings), settings, contacted);
    }

    private static Ofi load(RdmaSettings settings) {
        try {
            return Ofi.load(settings.library());
        } catch (OfiUnavailableException e) {
            throw new TransportException(Code.UNAVAILABLE, e.getMessage(), e);
        }
    }

    /** Returns a description of each libfabric provider. */
    @Override
    public List<TransportChoice> choices(Config config) {
        RdmaSettings settings = RdmaSettings.from(config);
        List<TransportChoice> choices = new ArrayList<>();
        boolean found = false;
        for (String provider : RdmaProviders.NAMES) {
            TransportChoice choice = describe(settings, provider, !found);
            found |= choice.available();
            choices.add(choice);
        }
        return choices;
    }

    private static TransportChoice describe(RdmaSettings settings, String provider, boolean automatic) {
        try (RdmaTransport transport = new RdmaTransport(load(settings), settings, provider)) {
            return new TransportChoice(
                    provider,
                    true,
                    automatic,
                    transport.deviceName(),
                    transport.localAddress(),
                    transport.libraryVersion(),
                    transport.capabilities());
        } catch (TransportException e) {
            return TransportChoice.unavailable(provider, e.getMessage());
        }
    }

    private static Transport best(Ofi ofi, RdmaSettings settings) {
        List<String> causes = new ArrayList<>();
        for (String provider : RdmaProviders.NAMES) {
            try {
                return new RdmaTransport(ofi, settings, provider);
            } catch (TransportException e) {
                causes.add(e.getMessage());
            }
        }
        throw new TransportException(Code.UNAVAILABLE, "no provider works: " + String.join("; ", causes));
    }
}
