package io.rocketbufs.livestream.edge;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.livestream.EdgeSettings;
import io.rocketbufs.livestream.page.CertificateWatch;
import io.rocketbufs.livestream.page.OperatorPages;
import io.rocketbufs.livestream.page.PageWatch;
import io.rocketbufs.livestream.page.ServerFacts;
import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import io.rocketbufs.livestream.page.ServerIdentity;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.OperatorAccess;
import io.rocketbufs.web.PageThreads;
import io.rocketbufs.web.ServerMetrics;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.WorkerCheck;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A delivery server that subscribes to all of the relay's streams and serves them to viewers. While it is not connected
 * to the relay, it keeps trying to connect and continues to serve the chunks that it has already received.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its server and its connection; does not own the
 * {@link RocketBufs} instance, which must be closed after the edge. <b>Source:</b> RocketBufs 5, figure 8.
 */
public final class Edge implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Edge.class);
    private static final long TICK_MS = 100;
    private static final long RECONNECT_MS = 300;

    private final RocketBufs rocketBufs;
    private final EdgeSettings settings;
    private final EdgeStreams streams = new EdgeStreams();
    private final EdgeCounters counters = new EdgeCounters();
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private final PageWatch watch = new PageWatch(this::facts);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "livestream-edge");
        made.setDaemon(true);
        return made;
    });
    private final PageThreads pageThreads = new PageThreads("livestream-edge-pages");
    private final ServerMetrics metrics;
    private final EdgeServer server;
    private volatile Connection connection;
    private volatile boolean closed;
    /**
     * The message of the last connection failure, stored so that repeated failures are logged only once. Accessed by
     * the timer and the connection's worker.
     */
    private volatile String lastFailure = "";

    private Edge(RocketBufs rocketBufs, EdgeSettings settings, TlsIdentity identity, int threads) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.metrics = EdgeMetrics.of(streams, counters, rocketBufs.metrics());
        metrics.gauge("livestream.viewers", "Connections of viewers", this::viewerCount);
        metrics.gauge("livestream.relay.connected", "1 while connected to the relay", () -> isConnected() ? 1 : 0);
        WorkerCheck workers = new WorkerCheck(rocketBufs::unresponsiveWorkers);
        EdgePages pages = new EdgePages(streams, this::isConnected, workers, metrics);
        OperatorAccess access = new OperatorAccess(
                settings.metricsToken(), "livestream.metrics.token", OperatorPages.PATH, OperatorPages::isAt);
        ServerIdentity self = new ServerIdentity("edge", "viewers", System.currentTimeMillis(), this::listeners);
        OperatorPages operators = new OperatorPages(self, watch, this::furtherCounters);
        this.server = EdgeServer.open(
                settings,
                identity,
                threads,
                counters.refusals,
                gate -> new ViewerConnection(streams, pages, operators, viewers, pageThreads, access, counters, gate));
    }

    /**
     * Starts listening for viewers and connecting to the relay.
     *
     * @throws io.rocketbufs.rocketnet.TransportException if the address cannot be used
     */
    public static Edge open(RocketBufs rocketBufs, EdgeSettings settings, TlsIdentity identity, int threads) {
        Edge edge = new Edge(rocketBufs, settings, identity, threads);
        edge.watch.start(edge.timer);
        edge.timer.scheduleWithFixedDelay(
                () -> edge.streams.tick(settings.relayTimeoutMs(), settings.keepMs()),
                TICK_MS,
                TICK_MS,
                TimeUnit.MILLISECONDS);
        edge.timer.execute(edge::connect);
        CertificateWatch.start(identity, edge.metrics, edge.timer);
        return edge;
    }

    private void connect() {
        if (closed) {
            return;
        }
        InetSocketAddress relay = new InetSocketAddress(settings.relayHost(), settings.relayPort());
        ConnectOptions options = ConnectOptions.as(Role.SUBSCRIBER, this::onConnection)
                .withGreeting(settings.token().getBytes(StandardCharsets.UTF_8));
        try {
            rocketBufs.connect(relay, options).whenComplete((made, failure) -> {
                if (failure != null) {
                    onFailure(relay, failure);
                }
            });
        } catch (RuntimeException e) {
            onFailure(relay, e);
        }
    }

    private void onConnection(Connection made) {
        RelaySession session = new RelaySession(made, streams, counters);
        connection = made;
        lastFailure = "";
        LOG.info("Connected to the relay at {}", made.peer());
        made.setCloseCallback(failure -> {
            connection = null;
            session.interrupt();
            if (!closed) {
                LOG.warn("Disconnected from the relay{}", failure == null ? "" : ": " + failure.getMessage());
                reconnectLater();
            }
        });
    }

    private void onFailure(InetSocketAddress relay, Throwable failure) {
        String what =
                String.valueOf((failure instanceof CompletionException ? failure.getCause() : failure).getMessage());
        if (!closed && !what.equals(lastFailure)) {
            lastFailure = what;
            LOG.warn("Cannot connect to the relay at {}, retrying: {}", HostPort.of(relay), what);
        }
        if (connection == null) {
            reconnectLater();
        }
    }

    private void reconnectLater() {
        try {
            timer.schedule(this::connect, RECONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("Not reconnecting: the edge is closed");
        }
    }

    private ServerFacts facts() {
        List<PeerFacts> peers = viewers.stream().map(Viewer::facts).toList();
        Map<String, Integer> counts = new HashMap<>();
        peers.forEach(peer -> counts.merge(peer.stream(), 1, Integer::sum));
        List<StreamFacts> all = streams.all().stream()
                .map(stream -> stream.facts(counts.getOrDefault(stream.name(), 0)))
                .toList();
        return new ServerFacts(
                isConnected() ? null : "not connected to the relay",
                all,
                peers,
                counters.receivedBytes.sum(),
                counters.deliveredBytes.sum(),
                counters.lostBytes.sum());
    }

    private List<String> listeners() {
        Connection relay = connection;
        String at = HostPort.of(address());
        return relay == null ? List.of("viewers at " + at) : List.of("viewers at " + at, "relay at " + relay.peer());
    }

    /** Returns the counters on the operator page that are specific to edges. */
    private Map<String, Object> furtherCounters() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("connections", viewerCount());
        json.put("gaps", counters.gaps.sum());
        json.put("overwritten", counters.overwritten.sum());
        json.put("refusals", counters.refusals.sum());
        return json;
    }

    /** Returns the address on which the edge listens for viewers, with the actual port if the setting is 0. */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Returns true while the edge is connected to the relay. */
    public boolean isConnected() {
        return connection != null;
    }

    /** Returns the number of viewer connections. */
    public int viewerCount() {
        return server.connectionCount();
    }

    /** Closes the connections of the viewers and the connection to the relay. Idempotent. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        server.close();
        pageThreads.close();
        Connection open = connection;
        if (open != null) {
            open.close("the edge is closing");
        }
        streams.close();
    }
}
