package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the transport "rdma". Public for {@link java.util.ServiceLoader} alone. */
public final class RdmaTransportProvider implements TransportProvider {
    @Override
    public String name() {
        return RdmaTransport.NAME;
    }

    @Override
    public Optional<String> unavailabilityCause() {
        try {
            open(ConfigFactory.load()).close();
            return Optional.empty();
        } catch (TransportException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public Transport open(Config config) {
        RdmaSettings settings = RdmaSettings.from(config);
        Ofi ofi;
        try {
            ofi = Ofi.load(settings.library());
        } catch (OfiUnavailableException e) {
            throw new TransportException(Code.UNAVAILABLE, e.getMessage(), e);
        }
        return settings.provider().equals(RdmaSettings.AUTO)
                ? best(ofi, settings)
                : new RdmaTransport(ofi, settings, settings.provider());
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
