package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.Offers;
import io.rocketbufs.rbmq.protocol.OffersLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of all connected clients. Each new connection, on any listener, is authenticated and receives a
 * publisher's or a subscriber's session.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> RocketBufs 4.1, listing 3, lines 13 to 26; users are an addition.
 */
final class ClientSessions {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSessions.class);
    /**
     * Time within which a client must answer OFFERS. The client only evaluates the offers before it answers; it
     * connects afterwards.
     */
    private static final long DECISION_MS = 10_000;

    private static final String CLOSING = "the broker is closing";

    private final Ingest ingest;
    private final Topics topics;
    private final SlowSubscribers slow;
    private final ROut out;
    private final Reloads reloads;
    private final RefusalCounts refusals;
    private final ConnectedClients clients;
    private final DisconnectCounts disconnects = new DisconnectCounts();
    private final BrokerLimits limits;
    private final Supplier<Welcome> welcome;
    private final OfferedListeners offered;
    /**
     * A timer thread, started when it is first needed. It logs the number of topics that clients have joined and left,
     * and disconnects clients that do not answer OFFERS.
     */
    private final ScheduledThreadPoolExecutor logTimer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "rbmq-broker-log");
        thread.setDaemon(true);
        return thread;
    });

    private final Set<PublisherSession> publishers = ConcurrentHashMap.newKeySet();
    private final Set<Connection> undecided = ConcurrentHashMap.newKeySet();
    private final Set<SubscriberSession> subscribers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger publisherNumbers = new AtomicInteger();
    private final LongAdder refusedCount = new LongAdder();
    private final LongAdder malformedCount = new LongAdder();
    private volatile boolean closed;

    /**
     * Creates the sessions for a broker that has no clients yet.
     *
     * @param reloads supplies the current users
     * @param limits the limits for each client and across all clients
     * @param welcome supplies the message that introduces the broker to a connecting client
     * @param offered the listeners to which clients may switch
     */
    ClientSessions(
            Ingest ingest,
            Topics topics,
            SlowSubscribers slow,
            ROut out,
            Reloads reloads,
            RefusalCounts refusals,
            ConnectedClients clients,
            BrokerLimits limits,
            Supplier<Welcome> welcome,
            OfferedListeners offered) {
        this.ingest = ingest;
        this.slow = slow;
        this.topics = topics;
        this.out = out;
        this.reloads = reloads;
        this.refusals = refusals;
        this.clients = clients;
        this.limits = limits;
        this.welcome = welcome;
        this.offered = offered;
        logTimer.setRemoveOnCancelPolicy(true);
    }

    /**
     * Called on the worker when a connection is established and its peer's greeting has arrived; throws an exception to
     * refuse the connection.
     *
     * @param isLocal true when the listener's address is loopback
     */
    void onConnection(Connection connection, boolean isLocal) {
        try {
            if (closed) {
                throw refusal(TransportException.Code.RESOURCES, CLOSING);
            }
            if (connection.role() != Role.PUBLISHER && connection.role() != Role.SUBSCRIBER) {
                throw refusal(
                        TransportException.Code.REFUSED,
                        "the broker accepts only publishers and subscribers, not role=" + connection.role());
            }
            Greeting greeting = GreetingLayout.read(connection.greeting());
            receive(connection, greeting, isLocal);
        } catch (TransportException e) {
            refusedCount.increment();
            throw e;
        }
    }

    private void receive(Connection connection, Greeting greeting, boolean isLocal) {
        Users admitting = reloads.users();
        Presented presented = Presented.of(greeting.token(), connection.peerCertificate());
        Offers offers = offered.better(connection, greeting);
        CompletableFuture<Void> counted =
                offers == null ? connection.closed() : connection.closed().copy();
        Grant granted = admitting.admit(presented, isLocal, counted);
        limits.enterConnection(counted);
        Principal principal = new Principal(presented, isLocal, granted, reloads::users, refusals);
        if (offers == null) {
            begin(connection, greeting, principal, "", admitting);
        } else {
            UndecidedClient client = new UndecidedClient(
                    connection, counted, obstacle -> decided(connection, greeting, principal, obstacle, admitting));
            offer(offers, connection, client);
        }
    }

    /** Lets a client choose between this connection and another one over a better transport. */
    private void offer(Offers offers, Connection connection, UndecidedClient client) {
        Future<?> limit = limitDecision(connection);
        undecided.add(connection);
        connection.closed().thenRun(() -> undecided.remove(connection));
        connection.setCloseCallback(failure -> {
            limit.cancel(false);
            if (failure != null) {
                LOG.warn("A client was lost before it had chosen a transport: {}", failure.getMessage());
            }
        });
        connection.setControlMessageCallback(message -> {
            limit.cancel(false);
            client.onControlMessage(message);
        });
        connection.sendControlMessage(OffersLayout.write(offers));
        closeIfClosed(connection);
    }

    /** Disconnects a client that does not choose in time. Returns the timer. */
    private Future<?> limitDecision(Connection connection) {
        try {
            return logTimer.schedule(
                    () -> connection.disconnect("no answer to OFFERS within " + DECISION_MS + " ms"),
                    DECISION_MS,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) { // the broker has been closed in the meantime
            throw refusal(TransportException.Code.RESOURCES, CLOSING);
        }
    }

    /**
     * Called when a connection has been registered, because the broker may have closed the registered connections
     * before that.
     */
    private void closeIfClosed(Connection connection) {
        if (closed) {
            connection.close(CLOSING);
        }
    }

    private void decided(
            Connection connection, Greeting greeting, Principal principal, String obstacle, Users admitting) {
        undecided.remove(connection);
        if (closed) {
            connection.close(CLOSING);
        } else {
            begin(connection, greeting, principal, obstacle, admitting);
        }
    }

    private void begin(
            Connection connection, Greeting greeting, Principal principal, String obstacle, Users admitting) {
        ClientSession session = receive(connection, greeting, principal, obstacle);
        if (reloads.users() != admitting) {
            // The review after that reload may have run before the session was registered.
            connection.execute(session::review);
        }
        closeIfClosed(connection);
    }

    private ClientSession receive(Connection connection, Greeting greeting, Principal principal, String obstacle) {
        if (connection.role() == Role.PUBLISHER) {
            int number = publisherNumbers.incrementAndGet();
            ConnectedPublisher publisher = new ConnectedPublisher(number, greeting, connection, principal);
            ConnectedClient client = client(connection, greeting, principal, obstacle, publisher.ended());
            PublisherSession session = new PublisherSession(ingest, limits, connection, publisher, logTimer);
            enter(publishers, session, client);
            logConnected(publisher, client);
            connection.sendControlMessage(WelcomeLayout.write(welcome.get()));
            return session;
        } else {
            String inbox = InboxName.random();
            SubscriberSession session = newSubscriber(connection, greeting, principal, inbox);
            out.addConnection(connection, ingest.permissionOf(session));
            ConnectedClient client = client(connection, greeting, principal, obstacle, new TrafficSum());
            enter(subscribers, session, client);
            logConnected(session, client);
            connection.sendControlMessage(WelcomeLayout.write(welcome.get().withInbox(inbox)));
            return session;
        }
    }

    private static void logConnected(Object session, ConnectedClient client) {
        String obstacle = client.obstacle().isEmpty() ? "" : " (" + client.obstacle() + ")";
        LOG.info("{} connected over {}{}", session, client.transport(), obstacle);
    }

    private SubscriberSession newSubscriber(
            Connection connection, Greeting greeting, Principal principal, String inbox) {
        return new SubscriberSession(
                topics, slow, malformedCount, connection, greeting, principal, limits, inbox, logTimer);
    }

    private static ConnectedClient client(
            Connection connection, Greeting greeting, Principal principal, String obstacle, TrafficSum ended) {
        return new ConnectedClient(
                connection.role(),
                greeting.name(),
                principal.user(),
                connection.peer(),
                connection.transport(),
                obstacle,
                greeting.features(),
                System.currentTimeMillis(),
                ended);
    }

    private <S extends ClientSession> void enter(Set<S> sessions, S session, ConnectedClient client) {
        sessions.add(session);
        clients.add(session.connection(), client);
        session.connection().setCloseCallback(failure -> {
            sessions.remove(session);
            clients.remove(session.connection());
            disconnects.count(failure);
            session.onClosed(failure);
        });
    }

    /** Makes each session check on its worker that its client still has the rights it uses. */
    void review() {
        publishers.forEach(session -> session.connection().execute(session::review));
        subscribers.forEach(session -> session.connection().execute(session::review));
    }

    private static TransportException refusal(TransportException.Code code, String reason) {
        return new TransportException(code, reason);
    }

    /** Refuses all new connections. */
    void close() {
        closed = true;
        logTimer.shutdownNow();
    }

    /** Closes the publishers' connections; the returned future completes when they have ended. */
    CompletableFuture<Void> closePublishers(String reason) {
        undecided.forEach(connection -> connection.close(reason));
        return closeAll(publishers, reason);
    }

    /**
     * Sends the received data to subscribers and closes their connections; the returned future completes when they have
     * ended.
     */
    CompletableFuture<Void> closeSubscribers(String reason) {
        return closeAll(subscribers, reason);
    }

    private static CompletableFuture<Void> closeAll(Set<? extends ClientSession> sessions, String reason) {
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (ClientSession session : sessions) {
            session.connection().close(reason);
            closing.add(session.connection().closed());
        }
        return CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new));
    }

    int publisherCount() {
        return publishers.size();
    }

    int subscriberCount() {
        return subscribers.size();
    }

    long refusedCount() {
        return refusedCount.sum();
    }

    /** Returns the number of clients that have left, by reason. */
    Map<String, Long> disconnects() {
        return disconnects.all();
    }

    long malformedCount() {
        return malformedCount.sum();
    }
}
