package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.broker.ProducerInput.AppendTerms;
import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogInspection;
import io.rocketbufs.rocketlog.log.LogListener;
import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import io.rocketbufs.rocketlog.log.MemoryLogs;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.web.Page;
import io.rocketbufs.web.WorkerCheck;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A broker that owns a directory of logs, appends the batches that producers send over any transport, and lets
 * consumers read them.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its directory, listeners, and threads. The caller owns
 * the RocketBufs, and must close it after the broker.
 */
public final class LogBroker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogBroker.class);
    private static final String CLOSING = "the broker is closing";
    private static final String NOT_READY = "the broker is starting or closing; try again";
    private static final long CLOSE_TIMEOUT_MS = 5000;

    private final RocketBufs rocketBufs;
    private final LogBrokerSettings settings;
    private final WorkerCheck workers;
    private final long openedNs = System.nanoTime();
    private final DurabilityWaits waits = new DurabilityWaits();
    private final DiskTasks diskTasks = new DiskTasks();
    private final Set<LogClientSession> sessions = ConcurrentHashMap.newKeySet();
    private final List<Listener> listeners = new ArrayList<>();
    private LogDirectory directory;
    private volatile LogTopics topics;
    private MemoryTopics memory;
    private SessionTerms terms;
    private LogAdmin admin;
    private volatile boolean isReady;
    private boolean isClosed;

    private LogBroker(RocketBufs rocketBufs, LogBrokerSettings settings) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.workers = new WorkerCheck(rocketBufs::unresponsiveWorkers);
    }

    /**
     * Opens the directory, recovers all logs, listens on all addresses, and serves the admin interface.
     *
     * <p>Damaged files of a topic or partition do not prevent the start; the broker refuses requests only for that
     * topic or partition.
     *
     * @throws LogException if another process uses the directory, or the directory is damaged
     * @throws java.io.UncheckedIOException if the names of the topics cannot be read
     * @throws TransportException if an address or transport cannot be used; everything opened so far is then closed
     */
    public static LogBroker open(RocketBufs rocketBufs, LogBrokerSettings settings) {
        LogBroker broker = new LogBroker(rocketBufs, settings);
        try {
            broker.start();
            return broker;
        } catch (RuntimeException | Error e) {
            broker.close();
            throw e;
        }
    }

    private void start() {
        directory = LogDirectory.open(settings.directory(), settings.log(), new Flushes());
        BatchLimits limits = new BatchLimits(false, settings.produce().longestLeadMs());
        memory = new MemoryTopics(new MemoryLogs(settings.log()), settings.memory());
        topics = new LogTopics(
                directory,
                settings.directory(),
                memory,
                limits,
                settings.log(),
                settings.limits().partitions());
        topics.open();
        AppendTerms append = new AppendTerms(
                settings.log().longestBatch(), settings.produce().window(), waits);
        terms = new SessionTerms(
                rocketBufs,
                topics,
                diskTasks,
                append,
                settings.produce(),
                settings.limits().producersPerConnection(),
                new ConsumerTerms(diskTasks, settings.consume()),
                new LeaseTerms(diskTasks, settings.direct(), settings.consume().segmentsPerConnection()),
                new TopicDeletion.Terms(topics, diskTasks::execute, settings.deletableTopics()));
        for (ListenerSettings each : settings.listeners()) {
            Listener listener = new Listener(rocketBufs, each.resolve(), each.transport());
            listeners.add(listener);
            listener.setFailureCallback(LogBroker::onStrangerFailed);
            listener.setConnectionCallback(this::onConnection);
        }
        if (settings.admin().enabled()) {
            admin = LogAdmin.open(settings.admin(), new LogAdminPages(this, rocketBufs.metrics()));
        }
        isReady = true;
        LOG.info(
                "Broker for directory {} with {} {} listens on {}",
                settings.directory(),
                topics.count(),
                topics.count() == 1 ? "topic" : "topics",
                describeListeners());
    }

    /**
     * The listener of the logs. It wakes the producers that wait for the disk, makes durable records visible to
     * consumers, and revokes the access of consumers to deleted and truncated segments.
     */
    private final class Flushes implements LogListener {
        @Override
        public void onDurable(PartitionLog log, long durableOffset) {
            waits.wake();
            if (settings.log().flush() == FlushPolicy.ALWAYS) {
                withPartition(log, LogPartition::publish);
            }
        }

        @Override
        public void onDeleted(PartitionLog log) {
            withPartition(log, LogPartition::onDeleted);
        }

        @Override
        public void onTruncated(PartitionLog log) {
            withPartition(log, LogPartition::onTruncated);
        }

        private void withPartition(PartitionLog log, Consumer<LogPartition> action) {
            LogTopics opened = topics;
            LogPartition partition = opened == null ? null : opened.partition(log);
            if (partition != null) {
                action.accept(partition);
            }
        }

        @Override
        public void onFailed(PartitionLog log, LogException cause) {
            waits.wake();
        }
    }

    /** Called when a connection fails before the broker has accepted its peer as a client. */
    private static void onStrangerFailed(Throwable failure) {
        if (failure instanceof TransportException known && !known.isInternal()) {
            String hint = known.otherProtocol() == null ? "" : "; this port accepts only clients of rocketlog";
            LOG.warn("Connection closed: {}{}", failure.getMessage(), hint);
        } else {
            LOG.error("Connection closed: {}", failure.getMessage(), failure);
        }
    }

    private void onConnection(Connection connection) {
        byte[] greeting = connection.greeting();
        String problem = LogGreetingLayout.problem(greeting);
        if (problem != null) {
            throw new TransportException(TransportException.Code.REFUSED, problem);
        }
        String name = LogGreetingLayout.name(greeting);
        int limit = settings.limits().connections();
        if (!isReady || sessions.size() >= limit) {
            throw new TransportException(
                    TransportException.Code.RESOURCES,
                    isReady
                            ? "the broker already has rocketlog.limits.connections=" + limit
                                    + " connections, and cannot accept "
                                    + LogClientSession.description(name, connection.peer())
                                    + "; try again when one has been closed, or raise the limit"
                            : NOT_READY);
        }
        LogClientSession session = new LogClientSession(connection, name, terms);
        sessions.add(session);
        connection.setCloseCallback(failure -> {
            sessions.remove(session);
            session.onClosed(failure);
        });
        if (!isReady) { // since the first check; close might not have seen the session
            throw new TransportException(TransportException.Code.RESOURCES, NOT_READY);
        }
    }

    private List<String> describeListeners() {
        List<String> described = new ArrayList<>();
        for (int i = 0; i < listeners.size(); i++) {
            described.add(settings.listeners().get(i).transport() + " "
                    + HostPort.of(listeners.get(i).address()));
        }
        return described;
    }

    /**
     * Returns the addresses on which the broker listens, in the order of the settings. If the port in a setting is 0,
     * the address contains the actual port.
     */
    public List<InetSocketAddress> addresses() {
        return listeners.stream().map(Listener::address).toList();
    }

    /** Returns the admin interface's address, or null if the interface is disabled. */
    public InetSocketAddress adminAddress() {
        return admin == null ? null : admin.address();
    }

    /** Returns true while the broker accepts clients. */
    public boolean isReady() {
        return isReady;
    }

    /** Returns the response to a health check, see {@link WorkerCheck#page}. */
    CompletionStage<Page> health(String state) {
        return workers.page(state);
    }

    LogTopics topics() {
        return topics;
    }

    /** Returns the sessions of the connected clients, in any order. */
    Collection<LogClientSession> sessions() {
        return sessions;
    }

    /**
     * Returns the in-memory topic whose partition folder would have the given path, or contain it, if the topic were on
     * the disk. The path must be in the directory of a broker. Returns null if there is no such topic.
     */
    public static String topicInMemory(Path path) {
        return topic(path, TopicFiles::topicInMemory);
    }

    /**
     * Returns the topic to which a partition folder or one of its files belongs, if that topic was deleted but still
     * has files. Otherwise, returns null.
     */
    public static String deletedTopic(Path path) {
        return topic(path, TopicFiles::deletedTopic);
    }

    private static String topic(Path path, Function<Path, String> ofPartition) {
        Path absolute = path.toAbsolutePath().normalize();
        String topic = ofPartition.apply(absolute);
        return topic == null && absolute.getParent() != null ? ofPartition.apply(absolute.getParent()) : topic;
    }

    /**
     * Adds the damaged topic files of a log directory to the results of an inspection.
     *
     * @throws IOException if a file cannot be read
     */
    public static void inspectTopics(Path directory, LogInspection inspection) throws IOException {
        new TopicFiles(directory).inspect(inspection);
    }

    /** Returns the current state of the broker as a whole. */
    LogBrokerState state() {
        return new LogBrokerState(
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNs),
                describeListeners(),
                settings.directory().toAbsolutePath(),
                sessions.size(),
                sessions.stream().mapToInt(LogClientSession::producerCount).sum(),
                topics);
    }

    /**
     * Stops accepting clients, disconnects all connected clients, and closes the logs, which then need no recovery.
     * Blocks until all logs are closed. Idempotent.
     *
     * @throws LogException if a log could not be closed cleanly; all logs are closed nevertheless
     */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        isReady = false;
        listeners.forEach(Listener::close);
        sessions.forEach(LogClientSession::endLeases); // first, so that an unresponsive client holds no lease
        awaitClosed(sessions.stream()
                .map(session -> {
                    session.connection().close(CLOSING);
                    return session.connection().closed();
                })
                .toArray(CompletableFuture[]::new));
        if (admin != null) {
            admin.close();
        }
        diskTasks.close();
        if (topics != null) {
            topics.close();
        }
        if (memory != null) {
            memory.close();
        }
        if (directory != null) {
            directory.close();
        }
    }

    private static void awaitClosed(CompletableFuture<?>... closing) {
        try {
            CompletableFuture.allOf(closing).get(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("Timed out after {} ms waiting for clients to disconnect", CLOSE_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
