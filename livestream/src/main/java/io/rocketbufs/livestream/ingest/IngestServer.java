package io.rocketbufs.livestream.ingest;

import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.rocketbufs.livestream.IngestSettings;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.livestream.page.ServerIdentity;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.livestream.relay.RelayPages;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.DateHeader;
import io.rocketbufs.web.OperatorAccess;
import io.rocketbufs.web.PageThreads;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.TooManyConnections;
import io.rocketbufs.web.WebServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The server that receives streams from sources for a relay, and serves the relay's pages.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its sockets and threads; must be closed before the relay.
 */
public final class IngestServer implements AutoCloseable {
    private final WebServer server;
    private final PageThreads pageThreads = new PageThreads("livestream-relay-pages");
    private final IngestSettings settings;
    private final InetSocketAddress address;
    private final List<InetSocketAddress> rawAddresses = new ArrayList<>();

    private IngestServer(WebServer server, Relay relay) {
        this.server = server;
        this.settings = relay.settings().ingest();
        IngestTargets targets = new IngestTargets(relay.streams(), settings);
        RelayPages pages = relay.pages();
        OperatorAccess access = new OperatorAccess(
                relay.settings().metricsToken(), "livestream.metrics.token", OperatorPages.PATH, OperatorPages::isAt);
        ServerIdentity identity =
                new ServerIdentity("relay", "edges", System.currentTimeMillis(), () -> listeners(relay));
        OperatorPages operators = new OperatorPages(identity, relay.watch(), pages::counters);
        address = server.listen(
                new InetSocketAddress(settings.host(), settings.port()),
                "livestream.ingest.port",
                // Placed after the codec, so that the bytes of an incomplete request header do not count as activity.
                pipeline -> pipeline.addLast(new HttpServerCodec())
                        .addLast(new DateHeader())
                        .addLast(idle())
                        .addLast(new HttpIngest(targets, pages, operators, pageThreads, access)),
                TooManyConnections::begin);
        for (IngestSettings.RawPort raw : settings.raw()) {
            rawAddresses.add(server.listen(
                    new InetSocketAddress(settings.host(), raw.port()),
                    "livestream.ingest.raw",
                    pipeline -> pipeline.addLast(idle()).addLast(new RawIngest(targets, raw.stream())),
                    // MPEG-TS provides no way to send a response to the source.
                    pipeline -> pipeline.channel().close()));
        }
    }

    private List<String> listeners(Relay relay) {
        List<String> all = new ArrayList<>();
        all.add("edges at " + HostPort.of(relay.address()));
        all.add("sources at " + HostPort.of(address));
        if (!rawAddresses.isEmpty()) {
            all.add("raw sources at " + rawAddresses.stream().map(HostPort::of).collect(Collectors.joining(", ")));
        }
        return all;
    }

    private IdleStateHandler idle() {
        return new IdleStateHandler(0, 0, settings.idleTimeoutMs(), TimeUnit.MILLISECONDS);
    }

    /**
     * Starts listening.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if an address cannot be used; all resources are then closed
     */
    public static IngestServer open(Relay relay, TlsIdentity identity, int threads) {
        WebServer server = WebServer.overTls(
                "livestream-ingest",
                threads,
                relay.settings().ingest().maxConnections(),
                relay.streams().counters().refusals,
                identity);
        try {
            IngestServer ingest = new IngestServer(server, relay);
            relay.watchCertificate(identity);
            return ingest;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** Returns the address for HTTPS, with the actual port if the setting is 0. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the addresses that accept MPEG-TS directly over TLS, in the order of the settings. */
    public List<InetSocketAddress> rawAddresses() {
        return List.copyOf(rawAddresses);
    }

    @Override
    public void close() {
        server.close();
        pageThreads.close();
    }
}
