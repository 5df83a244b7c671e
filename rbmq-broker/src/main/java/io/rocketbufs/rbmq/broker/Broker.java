package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Listener;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.SubscriptionTotals;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.HistorySampler;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.WorkerCheck;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker that receives messages from publishers and forwards them unchanged to the subscribers of their topics.
 *
 * <p>There is one RIn for each publisher and one ROut for all subscribers; each publisher's buffer is spliced into the
 * ROut. Data is therefore sent from the memory in which it arrived, by the thread that received it, and the broker does
 * no work per message. {@link RbmqBroker} also owns the RocketBufs and is easier to embed.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its listeners, connections and admin interface; does not
 * own the RocketBufs, which must be closed after the broker. <b>Source:</b> RocketBufs 4.1, listing 3.
 */
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    /** The transport whose clients write directly into the broker's memory. */
    private static final String RDMA = "rdma";

    private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

    private static final String CLOSING = "the broker is closing";

    private final RocketBufs rocketBufs;
    private final WorkerCheck workers;
    private final long brokerId = new SecureRandom().nextLong();
    private final long openedNs = System.nanoTime();
    private final Instant openedAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final ROut out;
    private final Topics topics;
    private final SlowSubscribers slow;
    private final ProcessMemory memory = new ProcessMemory();
    private final ConnectedClients clients;
    private final History history = new History();
    private final Drains drains;
    private final Groups groups;
    private final RefusalCounts refusals = new RefusalCounts();
    private final Reloads reloads;
    private final ClientSessions sessions;
    private final TopicStates topicStates;
    private final BrokerReader reader;
    private final RateWindow window;
    private final List<Listener> listeners = new ArrayList<>();
    private final List<ListenerSettings> opened = new ArrayList<>();
    private final OfferedListeners offered;
    private volatile Admin admin;
    private BrokerMetrics metrics;
    private volatile boolean ready;
    private boolean closed;

    private Broker(RocketBufs rocketBufs, BrokerSettings settings, ReloadSource source) {
        this.rocketBufs = rocketBufs;
        this.workers = new WorkerCheck(rocketBufs::unresponsiveWorkers);
        this.out = new ROut(rocketBufs);
        this.reloads = new Reloads(settings, refusals, source, this::onReloaded);
        this.drains = new Drains(out);
        BufferTopics bufferTopics = new BufferTopics();
        BrokerLimits limits = new BrokerLimits(reloads::limits, memory, refusals);
        this.slow = new SlowSubscribers(bufferTopics::topicOf);
        this.groups = new Groups(out, bufferTopics, slow, drains, reloads::groupBatch);
        this.topics = new Topics(
                out,
                new HashTopicTable(),
                groups,
                limits,
                new KeptMessages(() -> reloads.limits().keptBytes(), System::nanoTime));
        out.setSlowCallback(slow);
        Ingest ingest = new Ingest(out, bufferTopics, topics, groups, slow, drains, reloads::rules);
        this.clients = new ConnectedClients(topics, ingest::topicOf);
        out.setSubscriptionCallback(new SubscriptionEvents(clients, groups));
        this.offered = new OfferedListeners(rocketBufs.automatic(), brokerId);
        this.sessions = new ClientSessions(
                ingest,
                topics,
                slow,
                out,
                reloads,
                refusals,
                clients,
                limits,
                () -> Welcome.of(brokerId, settings().largestCapacity()),
                offered);
        this.topicStates = new TopicStates(topics, out, reloads::rules);
        this.reader = new BrokerReader(topics, out, clients, ingest::topicOf, topicStates::ruleOf, this::state);
        this.window = new RateWindow(reader::read, System::nanoTime);
    }

    /**
     * Opens a broker that listens on all addresses in the settings and serves the admin interface.
     *
     * @throws io.rocketbufs.rocketnet.TransportException when an address or transport cannot be used; in that case
     *     nothing remains open
     */
    public static Broker open(RocketBufs rocketBufs, BrokerSettings settings) {
        return open(rocketBufs, settings, null);
    }

    /**
     * Opens a broker like {@link #open(RocketBufs, BrokerSettings)} that can also reload its configuration.
     *
     * @param source the source from which {@link #reload()} reads the settings; null if there is none
     * @throws io.rocketbufs.rocketnet.TransportException when an address or transport cannot be used; in that case
     *     nothing remains open
     */
    public static Broker open(RocketBufs rocketBufs, BrokerSettings settings, ReloadSource source) {
        Broker broker = new Broker(rocketBufs, settings, source);
        try {
            broker.start();
            return broker;
        } catch (RuntimeException | Error e) {
            broker.close();
            throw e;
        }
    }

    private void start() {
        reloads.addFiles(rocketBufs::reloadFiles);
        settings().listeners().forEach(this::listen);
        listeners.forEach(offered::add);
        listeners.forEach(this::accept);
        if (settings().admin().enabled()) {
            metrics = new BrokerMetrics(reader::read, rocketBufs.metrics(), this::adminCertificateExpirySeconds);
            admin = Admin.open(
                    settings().admin(), reloads::users, refusals, new AdminPages(this, window, history, metrics));
            new HistorySampler(
                            History.EVERY_MS,
                            nowNs -> history.add(nowNs, counters()),
                            drains::schedule,
                            System::nanoTime)
                    .run();
            reloads.addFiles(admin::reloadFiles);
            warnOfExpiryDaily();
        }
        settings().warnings().forEach(LOG::warn);
        warnOfExposure();
        warnOfSharedMemory();
        ready = true;
        LOG.info("Broker listens on {}", describeListeners());
    }

    private void listen(ListenerSettings wanted) {
        try {
            listeners.add(new Listener(rocketBufs, wanted.resolve(), wanted.transport()));
            opened.add(wanted);
        } catch (TransportException e) {
            if (!wanted.isOptional()) {
                throw e;
            }
            LOG.warn(
                    "The broker does not listen over {}, and clients use other transports: {}",
                    wanted.transport(),
                    e.getMessage());
        }
    }

    private void accept(Listener listener) {
        listener.setFailureCallback(this::onStrangerFailed);
        boolean isLocal = listener.address().getAddress().isLoopbackAddress();
        listener.setConnectionCallback(connection -> sessions.onConnection(connection, isLocal));
    }

    /** Called when a connection fails before the broker accepts its peer as a client. */
    private void onStrangerFailed(Throwable failure) {
        countUngreeted(failure);
        String protocol = failure instanceof TransportException known ? known.otherProtocol() : null;
        if (ClientSession.isInternal(failure)) {
            LOG.error("Connection closed: {}", failure.getMessage(), failure);
        } else if (protocol == null) {
            LOG.warn("Connection closed: {}", failure.getMessage());
        } else {
            LOG.warn("Connection closed: {}; {}", failure.getMessage(), hint(protocol));
        }
    }

    /** Counts a connection that the broker closed because the peer had not sent a greeting. */
    private void countUngreeted(Throwable failure) {
        if (!ready || !(failure instanceof TransportException known)) {
            return;
        }
        if (known.code() == TransportException.Code.CLOSED) {
            refusals.count(RefusalCounts.Reason.UNGREETED);
        } else if (known.code() == TransportException.Code.TIMEOUT) {
            refusals.count(RefusalCounts.Reason.GREETING_TIMEOUT);
        }
    }

    private String hint(String protocol) {
        Admin page = admin;
        if (protocol.equals("TLS")) {
            return "this listener is without TLS; clients with TLS need a listener with transport = tls";
        }
        return protocol.equals("HTTP") && page != null
                ? "RBMQ's admin page is on port " + page.address().getPort()
                : "this port is for RBMQ clients";
    }

    private void warnOfExpiryDaily() {
        admin.warnOfExpiry();
        drains.schedule(this::warnOfExpiryDaily, DAY_MS);
    }

    private double adminCertificateExpirySeconds() {
        Admin open = admin;
        return open == null ? Double.NaN : open.certificateExpirySeconds();
    }

    private void warnOfExposure() {
        AccessSettings access = settings().access();
        List<InetSocketAddress> exposed = new ArrayList<>();
        if (access.insecure() && access.anonymous().grantAnything()) {
            listeners.stream()
                    .filter(listener -> !rocketBufs.automatic().staysOnMachine(listener.transport()))
                    .map(Listener::address)
                    .forEach(exposed::add);
        }
        if (admin != null && reloads.users().isEmpty()) {
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
        if (settings().access().limitsClients()
                && settings().listeners().stream()
                        .anyMatch(listener -> listener.transport().equals(RDMA))) {
            LOG.warn("The rights of clients are not enforced over RDMA, because a client may be able to write into the"
                    + " memory of other clients; use RDMA only between machines that trust each other");
        }
    }

    private List<String> describeListeners() {
        return listeners.stream()
                .map(listener -> listener.transport() + " " + HostPort.of(listener.address()))
                .toList();
    }

    /** Returns the settings of the open listeners, in the order of {@link #addresses}. */
    public List<ListenerSettings> opened() {
        return List.copyOf(opened);
    }

    /**
     * Returns the addresses in use, in the order of the settings, with the actual port where the configured port is 0.
     * Optional listeners that could not be opened are omitted.
     */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }

    /** Returns the admin interface's address; null if the interface is disabled. */
    public InetSocketAddress adminAddress() {
        return admin == null ? null : admin.address();
    }

    /** Returns the settings in force. */
    BrokerSettings settings() {
        return reloads.settings();
    }

    /**
     * Reads the configuration from the source passed to {@link #open(RocketBufs, BrokerSettings, ReloadSource)} and
     * puts it into force as {@link #reload(BrokerSettings)} does. Blocks while the source is being read.
     *
     * @throws ReloadException listing all errors, which are also logged; in that case, nothing has changed
     * @throws IllegalStateException when there is no source, or the broker is closed
     */
    public ReloadReport reload() {
        return reloads.reload();
    }

    /**
     * Puts changed settings into force, either all of them or none. Users, rights and limits apply immediately. Clients
     * that are no longer accepted are disconnected with a reason, as are subscribers that have lost a right they are
     * using. Publishers lose the topics to which they may no longer publish. Buffer settings apply to topics announced
     * after the reload. Certificates and other transport files are reread and apply to new connections. Changes to
     * addresses and to the settings of the RocketBufs require a restart. Each change is logged.
     *
     * @param settings the complete configuration, as returned by {@link BrokerSettings#reloaded}
     * @return the changes
     * @throws ReloadException listing all errors, which are also logged; in that case, nothing has changed
     * @throws IllegalStateException when the broker is closed
     */
    public ReloadReport reload(BrokerSettings settings) {
        return reloads.reload(settings);
    }

    /**
     * Reloads like {@link #reload()} in response to a signal. Does not throw; the result is logged. Any number of
     * signals during a reload cause a single further reload.
     */
    public void reloadOnSignal() {
        reloads.onSignal();
    }

    /** Returns why {@link #reload()} is not possible; null if it is possible. */
    String reloadObstacle() {
        return reloads.obstacle();
    }

    /** Adds a part whose settings are also replaced by each later reload. */
    public void addReloadedPart(ReloadedPart part) {
        reloads.add(part);
    }

    /** Called when new settings are in force. */
    private void onReloaded(BrokerSettings former) {
        AccessSettings access = settings().access();
        if (!isOpenToAll(former.access()) && isOpenToAll(access)) {
            warnOfExposure();
        }
        if (!former.access().limitsClients()) {
            warnOfSharedMemory();
        }
        if (admin != null) {
            admin.warnOfExpiry();
        }
        topics.removeExcess();
        sessions.review();
    }

    private static boolean isOpenToAll(AccessSettings access) {
        return access.insecure() && access.anonymous().grantAnything()
                || access.users().isEmpty();
    }

    /** Returns true while the broker accepts clients: from the end of {@link #open} until {@link #close} is called. */
    public boolean isReady() {
        return ready;
    }

    /**
     * Checks that all workers respond; blocks for up to 2 s if one does not.
     *
     * @return the workers that did not respond; empty if all did
     */
    public List<String> unresponsiveWorkers() {
        return workers.unresponsiveWorkers().join();
    }

    /** Returns the response to a health check; see {@link WorkerCheck#page}. */
    CompletionStage<Page> health(String state) {
        return workers.page(state);
    }

    /** Returns the current state of the broker as a whole. */
    public BrokerState state() {
        return state(topics.received());
    }

    /**
     * Returns the state.
     *
     * @param received the data received from publishers, whose computation visits all topics; only the numbers of data
     *     received are used
     */
    private BrokerState state(Traffic received) {
        SlowSubscribers.Numbers numbers = slow.numbers();
        return new BrokerState(
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNs),
                openedAt,
                describeListeners(),
                sessions.publisherCount(),
                sessions.subscriberCount(),
                topics.count(),
                received.receivedLength(),
                received.receivedCount(),
                sessions.refusedCount(),
                refusals.all(),
                sessions.disconnects(),
                sessions.malformedCount() + groups.counts().malformedCount(),
                groups.counts().redeliveredCount(),
                groups.counts().discardedLength(),
                numbers.slowCount(),
                numbers.pendingLength(),
                numbers.delayCount(),
                numbers.delayMs(),
                slow.heldBackMs(),
                memory.used(),
                reloads.limits().memory(),
                topics.keptCount(),
                topics.keptLength(),
                topics.keptRemovedCount());
    }

    /** Returns the counters for the history. The cost does not depend on the number of messages. */
    private History.Counters counters() {
        // Ended subscriptions are read before open ones, so that no subscription counts twice.
        Traffic ended = clients.ended();
        SubscriptionTotals open = out.subscriptionTotals();
        return new History.Counters(
                topics.received().receivedLength(),
                ended.sentLength() + open.sentLength(),
                ended.lostLength() + open.lostLength() + clients.unsentLength(),
                slow.heldBackMs(),
                sessions.publisherCount());
    }

    /** Returns all topics and inboxes that have a publisher or a subscriber, sorted by name. */
    public List<TopicState> topics() {
        return topicStates.read(topic -> true);
    }

    /** Returns the counters of all connections. */
    List<ConnectionState> connections() {
        return rocketBufs.metrics().connections();
    }

    /** Returns the topics and inboxes whose names satisfy the condition. */
    List<TopicState> topics(Predicate<String> wanted) {
        return topicStates.read(wanted);
    }

    /**
     * Stops accepting clients, disconnects publishers, sends the received data to subscribers, and closes the broker.
     * Blocks until the data is sent or the longest drain timeout expires. Idempotent.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        ready = false;
        reloads.close();
        sessions.close();
        listeners.forEach(Listener::close);
        await(sessions.closePublishers(CLOSING));
        await(sessions.closeSubscribers(CLOSING));
        if (admin != null) {
            admin.close();
        }
        if (metrics != null) {
            metrics.close();
        }
        drains.close();
        out.close();
    }

    private void await(CompletableFuture<Void> closing) {
        long timeoutMs = settings().longestDrainTimeoutMs();
        try {
            closing.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("Timed out after {} ms waiting for clients to disconnect", timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
