package io.rocketbufs.livestream;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.livestream.ingest.IngestServer;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.web.TlsIdentity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A relay and its edges for tests, on free ports of this machine, each with its own RocketBufs. */
public final class Running implements AutoCloseable {
    private static final Path TLS = Path.of("target", "tls");
    private static final String ANY_PORTS =
            "livestream { relay.port = 0, ingest.port = 0, edge { port = 0, keep = 10 m }, threads = 2,"
                    + " tls.directory = \"" + TLS + "\" }\n";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final String[] settings;
    private Relay relay;
    private IngestServer ingest;
    private int relayPort;
    private final List<Edge> edges = new ArrayList<>();

    /** Starts a relay over the given transport, with additional settings in the syntax of the configuration file. */
    public Running(String transport, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        if (transport.equals("rdma")) {
            assumeRdma();
            all.add("rocketbufs.rdma.provider=tcp");
        }
        all.add("rocketbufs.transport=" + transport);
        settings = all.toArray(String[]::new);
        startRelay();
    }

    /** Returns the default settings with free ports and the given settings. */
    public static Config config(String... settings) {
        return ConfigFactory.parseString(ANY_PORTS + String.join("\n", settings))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    /** Skips the test with a message if libfabric is not installed. */
    private static void assumeRdma() {
        try (RocketBufs rocketBufs = RocketBufs.open(config("rocketbufs.rdma.provider=tcp"))) {
            rocketBufs.localAddress("rdma");
        } catch (TransportException e) {
            assumeTrue(e.code() != TransportException.Code.UNAVAILABLE, e.getMessage());
            throw e;
        }
    }

    /** Restarts the relay on its previous port. */
    public void startRelay() {
        List<String> again = new ArrayList<>(List.of(settings));
        if (relay != null) {
            again.add("livestream.relay.port=" + relayPort);
            again.add("livestream.ingest.port=" + ingest.address().getPort());
        }
        Config config = config(again.toArray(String[]::new));
        LivestreamSettings read = LivestreamSettings.from(config);
        RocketBufs rocketBufs = opened(RocketBufs.open(config));
        relay = opened(Relay.open(rocketBufs, read.relay()));
        relayPort = relay.address().getPort();
        ingest = opened(IngestServer.open(relay, opened(TlsIdentity.load(read.tls())), 2));
        relaysRocketBufs = rocketBufs;
    }

    private RocketBufs relaysRocketBufs;

    /** Ends the relay abruptly, as a crash would, without notifying any peer. */
    public void killRelay() {
        ingest.close();
        relaysRocketBufs.close();
        opened.remove(relay);
    }

    /** Returns the relay. */
    public Relay relay() {
        return relay;
    }

    /** Returns the address to which sources push. */
    public InetSocketAddress ingest() {
        return ingest.address();
    }

    /** Returns the address of the given raw port, which accepts streams directly over TLS. */
    public InetSocketAddress raw(int i) {
        return ingest.rawAddresses().get(i);
    }

    /** Starts another edge with additional settings. */
    public Edge edge(String... more) {
        return edgeOf(relay.address(), more);
    }

    /** Starts another edge that reaches the relay at the given address. */
    public Edge edgeOf(InetSocketAddress relayAddress, String... more) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(List.of(more));
        Config config = config(all.toArray(String[]::new));
        LivestreamSettings read = LivestreamSettings.from(config);
        RocketBufs rocketBufs = opened(RocketBufs.open(config));
        EdgeSettings own = read.edge().withRelay(new InetSocketAddress("127.0.0.1", relayAddress.getPort()));
        Edge edge = opened(Edge.open(rocketBufs, own, opened(TlsIdentity.load(read.tls())), 2));
        edges.add(edge);
        return edge;
    }

    /** Returns the certificate that clients must trust. */
    public static Path certificate() {
        try (TlsIdentity identity =
                TlsIdentity.load(LivestreamSettings.from(config()).tls())) {
            return identity.certificate();
        }
    }

    /** Registers a resource that will be closed after the test, and returns it. */
    public <T extends AutoCloseable> T opened(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    /** Closes all resources, newest first. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
