package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.netty.handler.ssl.OpenSsl;
import io.rocketbufs.rocketnet.Reach;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.text.Reason;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider of the transport "tls": the transport "tcp" inside TLS 1.3 or 1.2. Public only for
 * {@link java.util.ServiceLoader}.
 */
public final class TlsTransportProvider implements TransportProvider {
    private static final String NAME = "tls";
    private static final Logger LOGGER = LoggerFactory.getLogger(TlsTransportProvider.class);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void check(Config config) {
        if (TlsTransportSettings.areUsed(config)) {
            requireBoringSsl();
            TlsTransportSettings.from(config).contexts().close();
        }
    }

    @Override
    public Transport open(Config config) {
        requireBoringSsl();
        TcpSettings tcp = TcpSettings.from(config);
        TlsTransportSettings tls = TlsTransportSettings.from(config);
        try {
            TlsExpiry expiry = new TlsExpiry(tls.sides(), tls.contexts(), InstantSource.system(), LOGGER::warn);
            TcpTransport transport = TcpTransport.open(NAME, tcp, io -> new TlsIo(io, tls, expiry));
            expiry.begin(transport.workers().get(0));
            return transport;
        } catch (RuntimeException | Error e) {
            tls.contexts().close();
            throw e;
        }
    }

    /**
     * Returns NETWORK if the configuration contains certificates or authorities, which indicate that TLS is intended.
     */
    @Override
    public Reach reach(Config config) {
        return TlsTransportSettings.areUsed(config) ? Reach.NETWORK : Reach.UNSELECTED;
    }

    @Override
    public boolean encrypts() {
        return true;
    }

    private static void requireBoringSsl() {
        if (!OpenSsl.isAvailable()) {
            throw new TransportException(
                    Code.UNAVAILABLE,
                    "transport \"tls\" needs BoringSSL, which cannot be loaded: "
                            + Reason.of(OpenSsl.unavailabilityCause()),
                    OpenSsl.unavailabilityCause());
        }
    }
}
