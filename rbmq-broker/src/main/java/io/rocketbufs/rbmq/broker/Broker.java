package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Listener;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.protocol.ListenerSettings;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.WorkerCheck;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker, which receives messages from publishers and forwards them unchanged to the subscribers of their topics.
 *
 * <p>There is one RIn for each publisher and one ROut for all subscribers; each buffer of a publisher is spliced into
 * the ROut. Data is therefore sent from the memory where it arrived, on the thread that received it, and the broker
 * does no work per message. {@link RbmqBroker} also owns the RocketBufs, and is easier to embed.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its listeners, connections and admin interface; does not
 * own the RocketBufs, which must be closed after the broker. <b>Source:</b> RocketBufs 4.1, listing 3.
 */
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    /** The transport whose clients write into the broker's memory. */
    private static final String RDMA = "rdma";

    private static final String CLOSING = "the broker is closing";

    private final RocketBufs rocketBufs;
    private final WorkerCheck workers;
    private final BrokerSettings settings;
    private final long openedNs = System.nanoTime();
    private final ROut out;
    private final Topics topics;
    private final Drains drains;
    private final Groups groups;
    private final RefusalCounts refusals = new RefusalCounts();
    private final Users users;
    private final ClientSessions sessions;
    private final TopicStates topicStates;
    private final List<Listener> listeners = new ArrayList<>();
    private volatile Admin admin;
    private volatile boolean ready;
    private boolean closed;

    private Broker(RocketBufs rocketBufs, BrokerSettings settings) {
        this.rocketBufs = rocketBufs;
        this.workers = new WorkerCheck(rocketBufs::unresponsiveWorkers);
        this.settings = settings;
        this.out = new ROut(rocketBufs);
        BrokerSettings.Limits limits = settings.limits();
        this.drains = new Drains(out);
        BufferTopics bufferTopics = new BufferTopics();
        this.groups = new Groups(out, bufferTopics, drains, settings.groupBatch());
        this.topics =
                new Topics(out, new HashTopicTable(), groups, settings.topicsPerFilter(), limits.topicsPerConnection());
        this.users = new Users(settings.access(), refusals);
        TopicRules rules = new TopicRules(settings);
        this.sessions = new ClientSessions(
                new Ingest(out, bufferTopics, topics, groups, drains, rules, limits),
                topics,
                out,
                users,
                limits,
                Welcome.of(new SecureRandom().nextLong(), settings.largestCapacity()));
        this.topicStates = new TopicStates(topics, out, rules);
    }

    /**
     * Listens on all addresses in the settings, and serves the admin interface.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when an address or transport cannot be used; in that case
     *     nothing remains open
     */
    public static Broker open(RocketBufs rocketBufs, BrokerSettings settings) {
        Broker broker = new Broker(rocketBufs, settings);
        try {
            broker.start();
            return broker;
        } catch (RuntimeException | Error e) {
            broker.close();
            throw e;
        }
    }

    private void start() {
        for (ListenerSettings each : settings.listeners()) {
            Listener listener = new Listener(rocketBufs, each.resolve(), each.transport());
            listener.setFailureCallback(this::onStrangerFailed);
            boolean isLocal = listener.address().getAddress().isLoopbackAddress();
            listener.setConnectionCallback(connection -> sessions.onConnection(connection, isLocal));
            listeners.add(listener);
        }
        if (settings.admin().enabled()) {
            BrokerMetrics metrics = new BrokerMetrics(this, rocketBufs.metrics());
            admin = Admin.open(settings.admin(), users, refusals, new AdminPages(this, metrics));
        }
        settings.warnings().forEach(LOG::warn);
        warnOfExposure();
        warnOfSharedMemory();
        ready = true;
        LOG.info("Broker listens on {}", describeListeners());
    }

    /** Called when a connection fails before the broker has accepted its peer as a client. */
    private void onStrangerFailed(Throwable failure) {
        String protocol = failure instanceof TransportException known ? known.otherProtocol() : null;
        if (ClientSession.isInternal(failure)) {
            LOG.error("Connection closed: {}", failure.getMessage(), failure);
        } else if (protocol == null) {
            LOG.warn("Connection closed: {}", failure.getMessage());
        } else {
            LOG.warn("Connection closed: {}; {}", failure.getMessage(), hint(protocol));
        }
    }

    private String hint(String protocol) {
        Admin page = admin;
        return protocol.equals("HTTP") && page != null
                ? "RBMQ's admin page is on port " + page.address().getPort()
                : "this port is for RBMQ clients";
    }

    private void warnOfExposure() {
        AccessSettings access = settings.access();
        List<InetSocketAddress> exposed = new ArrayList<>();
        if (access.insecure() && access.anonymous().grantAnything()) {
            exposed.addAll(addresses());
        }
        if (admin != null && users.isEmpty()) {
            exposed.add(admin.address());
        }
        exposed.removeIf(address -> address.getAddress().isLoopbackAddress());
        if (!exposed.isEmpty()) {
            LOG.warn(
                    "Unauthenticated clients are accepted on {}, because rbmq.insecure is true",
                    exposed.stream().map(HostPort::of).toList());
        }
    }

    private void warnOfSharedMemory() {
        if (settings.access().limitsClients()
                && settings.listeners().stream()
                        .anyMatch(listener -> listener.transport().equals(RDMA))) {
            LOG.warn("The rights of clients do not hold over RDMA, because a client can guess the keys of memory that"
                    + " belongs to others; use RDMA only between machines that trust each other");
        }
    }

    private List<String> describeListeners() {
        List<String> described = new ArrayList<>();
        for (int i = 0; i < listeners.size(); i++) {
            InetSocketAddress address = listeners.get(i).address();
            described.add(settings.listeners().get(i).transport() + " " + HostPort.of(address));
        }
        return described;
    }

    /** Returns the addresses in use, in the order of the settings, with the actual port where the setting is 0. */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }

    /** Returns the admin interface's address; null when it is disabled. */
    public InetSocketAddress adminAddress() {
        return admin == null ? null : admin.address();
    }

    /**
     * Returns true while the broker accepts clients: from the end of {@link #open} to the beginning of {@link #close}.
     */
    public boolean isReady() {
        return ready;
    }

    /**
     * Checks that all workers respond; blocks for up to 2 s when one does not.
     *
     * @return the workers that did not respond; empty when all did
     */
    public List<String> unresponsiveWorkers() {
        return workers.unresponsiveWorkers();
    }

    /** Returns the current state of the broker as a whole. */
    public BrokerState state() {
        return new BrokerState(
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNs),
                describeListeners(),
                sessions.publisherCount(),
                sessions.subscriberCount(),
                topics.count(),
                topics.receivedLength(),
                topics.transferCount(),
                sessions.refusedCount(),
                refusals.all(),
                sessions.malformedCount() + groups.counts().malformedCount(),
                groups.counts().redeliveredCount(),
                groups.counts().discardedLength());
    }

    /** Returns all topics that have a publisher or a subscriber, sorted by name. */
    public List<TopicState> topics() {
        return topicStates.read();
    }

    /**
     * Stops accepting clients, disconnects publishers, sends the received data to subscribers, and closes. Blocks until
     * that is done or the longest drain timeout expires. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        ready = false;
        sessions.close();
        listeners.forEach(Listener::close);
        await(sessions.closePublishers(CLOSING));
        await(sessions.closeSubscribers(CLOSING));
        if (admin != null) {
            admin.close();
        }
        drains.close();
        out.close();
    }

    private void await(CompletableFuture<Void> closing) {
        long timeoutMs = settings.longestDrainTimeoutMs();
        try {
            closing.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("Timed out after {} ms waiting for clients to disconnect", timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
