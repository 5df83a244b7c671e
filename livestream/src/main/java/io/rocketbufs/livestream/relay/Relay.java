package io.rocketbufs.livestream.relay;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.livestream.RelaySettings;
import io.rocketbufs.livestream.page.CertificateWatch;
import io.rocketbufs.livestream.page.PageWatch;
import io.rocketbufs.livestream.page.ServerFacts;
import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.web.ServerMetrics;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.WorkerCheck;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dissemination host, which replicates each stream to every connected edge from one buffer without flow control.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its listener and connections; does not own the
 * {@link RocketBufs} instance, which must be closed after the relay. <b>Source:</b> RocketBufs 5, figure 8.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final long TICK_MS = 200;
    private static final long CLOSE_S = 5;

    private final WorkerCheck workers;
    private final ROut out;
    private final RelaySettings settings;
    private final RelayCounters counters = new RelayCounters();
    private final RelayStreams streams;
    /** The connections of the edges, with the time at which each edge connected. */
    private final Map<Connection, Long> connections = new ConcurrentHashMap<>();

    private final EdgeTraffic traffic = new EdgeTraffic();
    private final MetricsSource metrics;
    private final PageWatch watch = new PageWatch(this::facts);
    private final ScheduledExecutorService timer;
    private final Listener listener;
    private final ServerMetrics serverMetrics;
    private final RelayPages pages;
    private boolean closed;

    private Relay(RocketBufs rocketBufs, RelaySettings settings) {
        this.workers = new WorkerCheck(rocketBufs::unresponsiveWorkers);
        this.settings = settings;
        this.out = new ROut(rocketBufs);
        this.streams = new RelayStreams(out, settings, counters);
        this.metrics = rocketBufs.metrics();
        this.serverMetrics = RelayMetrics.of(this, metrics);
        this.pages = new RelayPages(this, serverMetrics);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "livestream-relay");
            made.setDaemon(true);
            return made;
        });
        // Created last, because edges that connect before the callback is set are refused and have to retry.
        this.listener = new Listener(rocketBufs, new InetSocketAddress(settings.host(), settings.port()));
    }

    /**
     * Starts listening for edges.
     *
     * @throws TransportException if the address or the transport cannot be used
     */
    public static Relay open(RocketBufs rocketBufs, RelaySettings settings) {
        Relay relay = new Relay(rocketBufs, settings);
        relay.listener.setConnectionCallback(relay::onConnection);
        relay.watch.start(relay.timer);
        relay.timer.scheduleWithFixedDelay(relay.streams::endSilent, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        return relay;
    }

    private void onConnection(Connection connection) {
        if (connection.role() != Role.SUBSCRIBER) {
            throw refusal("the relay accepts only edges, not role=" + connection.role());
        }
        byte[] token = connection.greeting();
        if (!settings.credentials().isEmpty()
                && settings.credentials().stream()
                        .noneMatch(known -> MessageDigest.isEqual(known.getBytes(StandardCharsets.UTF_8), token))) {
            throw refusal(token.length == 0 ? "a token is required" : "the token is not valid");
        }
        out.addConnection(connection);
        connections.put(connection, System.nanoTime());
        connection.setCloseCallback(failure -> {
            connections.remove(connection);
            streams.removeEdge(connection);
            LOG.info("Edge {} disconnected{}", connection.peer(), failure == null ? "" : ": " + failure.getMessage());
        });
        LOG.info("Edge {} connected", connection.peer());
        streams.addEdge(connection);
    }

    private TransportException refusal(String reason) {
        counters.refusals.increment();
        return new TransportException(TransportException.Code.REFUSED, reason);
    }

    /** Returns the address in use, with the actual port if the setting is 0. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Returns the relay's streams. */
    public RelayStreams streams() {
        return streams;
    }

    /** Returns the relay's HTTP pages. */
    public RelayPages pages() {
        return pages;
    }

    /**
     * Adds the time until a certificate expires to the metrics, and logs a daily warning when it is about to expire.
     */
    public void watchCertificate(TlsIdentity identity) {
        CertificateWatch.start(identity, serverMetrics, timer);
    }

    /** Returns the readings for the relay's operator page. */
    public PageWatch watch() {
        return watch;
    }

    private ServerFacts facts() {
        long nowNs = System.nanoTime();
        Map<String, Long> connectedMs = new HashMap<>();
        connections.forEach(
                (edge, sinceNs) -> connectedMs.put(edge.peer(), TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs)));
        List<PeerFacts> edges = traffic.add(metrics.subscriptions(), connectedMs);
        List<StreamFacts> all = streams.states().stream().map(this::facts).toList();
        return new ServerFacts(
                null, all, edges, counters.receivedBytes.sum(), traffic.sentLength(), traffic.lostLength());
    }

    private StreamFacts facts(StreamState state) {
        StreamState.Refused refused = state.refused();
        return new StreamFacts(
                state.name(),
                state.chunks() > 0 ? "live" : refused == null ? "waiting" : "refused",
                state.codecs(),
                subscribed(state.name()),
                state.chunks(),
                state.receivedBytes(),
                state.chunkAgeMs(),
                state.behindMs(),
                refused == null ? 0 : refused.count(),
                refused == null ? null : refused.reason());
    }

    RelayCounters counters() {
        return counters;
    }

    /** Returns the relay's settings. */
    public RelaySettings settings() {
        return settings;
    }

    /** Returns the health check of the relay's workers. */
    WorkerCheck workers() {
        return workers;
    }

    /** Returns the number of connected edges. */
    public int edgeCount() {
        return streams.edgeCount();
    }

    /** Returns the number of edges that are subscribed to the given stream. */
    public int subscribed(String stream) {
        RelayStream found = streams.find(stream);
        return found == null ? 0 : out.subscriptionCount(found.description().bufferId());
    }

    /** Returns true while a chunk of the given stream is being written. */
    public boolean isWriting(String stream) {
        RelayStream found = streams.find(stream);
        return found != null && found.isOpen();
    }

    /** Ends all streams, notifies the edges, and disconnects them. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        timer.shutdownNow();
        listener.close();
        streams.endAll();
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (Connection connection : connections.keySet()) {
            connection.close("the relay is closing");
            closing.add(connection.closed());
        }
        try {
            CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)).get(CLOSE_S, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("Timed out after {} s waiting for edges to disconnect", CLOSE_S);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        out.close();
    }
}
