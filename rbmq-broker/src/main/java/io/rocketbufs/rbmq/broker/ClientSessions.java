package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of all connected clients. Each new connection, on any listener, is authenticated and receives a
 * publisher's or a subscriber's session.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> RocketBufs 4.1, listing 3, lines 13 to 26; credentials are an
 * addition.
 */
final class ClientSessions {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSessions.class);

    private final Ingest ingest;
    private final Topics topics;
    private final SlowSubscribers slow;
    private final ROut out;
    private final List<String> credentials;
    private final BrokerSettings.Limits limits;
    private final Welcome welcome;
    /** Writes the counts of the topics that clients have joined and left; its thread starts with the first count. */
    private final ScheduledThreadPoolExecutor logTimer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "rbmq-broker-log");
        thread.setDaemon(true);
        return thread;
    });

    private final Set<PublisherSession> publishers = ConcurrentHashMap.newKeySet();
    private final Set<SubscriberSession> subscribers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger publisherNumbers = new AtomicInteger();
    private final LongAdder refusedCount = new LongAdder();
    private final LongAdder malformedCount = new LongAdder();
    private volatile boolean closed;

    /**
     * Creates the sessions of a broker without clients.
     *
     * @param limits limits of each client
     */
    ClientSessions(
            Ingest ingest,
            Topics topics,
            SlowSubscribers slow,
            ROut out,
            List<String> credentials,
            BrokerSettings.Limits limits,
            Welcome welcome) {
        this.ingest = ingest;
        this.slow = slow;
        this.topics = topics;
        this.out = out;
        this.credentials = credentials;
        this.limits = limits;
        this.welcome = welcome;
    }

    /**
     * Called on the worker when a connection is established and its peer's greeting has arrived; throws an exception to
     * refuse the connection, and closes it if the broker is closing.
     */
    void onConnection(Connection connection) {
        if (closed) {
            // Accepted first, because a client takes a refusal for final, and this one should try again later.
            connection.close("the broker is closing");
            return;
        }
        try {
            receive(connection, admit(connection));
        } catch (TransportException e) {
            refusedCount.increment();
            throw e;
        }
    }

    private Greeting admit(Connection connection) {
        Greeting greeting = GreetingLayout.read(connection.greeting());
        if (!credentials.isEmpty() && credentials.stream().noneMatch(greeting::presents)) {
            throw refusal(greeting.token().length == 0 ? "a token is required" : "the token is not valid");
        }
        return greeting;
    }

    private void receive(Connection connection, Greeting greeting) {
        if (connection.role() == Role.PUBLISHER) {
            int number = publisherNumbers.incrementAndGet();
            ConnectedPublisher publisher = new ConnectedPublisher(number, greeting, connection);
            enter(publishers, new PublisherSession(ingest, connection, publisher, logTimer));
            LOG.info("Publisher {} \"{}\" at {} connected", number, greeting.name(), connection.peer());
            connection.sendControlMessage(WelcomeLayout.write(welcome));
        } else if (connection.role() == Role.SUBSCRIBER) {
            String inbox = InboxName.random();
            out.addConnection(connection, ingest.permissionOf(inbox));
            enter(subscribers, newSubscriber(connection, greeting, inbox));
            LOG.info("Subscriber \"{}\" at {} connected", greeting.name(), connection.peer());
            connection.sendControlMessage(WelcomeLayout.write(welcome.withInbox(inbox)));
        } else {
            throw refusal("the broker accepts only publishers and subscribers, not role=" + connection.role());
        }
    }

    private SubscriberSession newSubscriber(Connection connection, Greeting greeting, String inbox) {
        return new SubscriberSession(topics, slow, malformedCount, connection, greeting, limits, inbox, logTimer);
    }

    private <S extends ClientSession> void enter(Set<S> sessions, S session) {
        sessions.add(session);
        session.connection().setCloseCallback(failure -> {
            sessions.remove(session);
            session.onClosed(failure);
        });
    }

    private static TransportException refusal(String reason) {
        return new TransportException(TransportException.Code.REFUSED, reason);
    }

    /** Refuses all new connections. */
    void close() {
        closed = true;
        logTimer.shutdownNow();
    }

    /** Closes the publishers' connections; the future completes when they have ended. */
    CompletableFuture<Void> closePublishers(String reason) {
        return closeAll(publishers, reason);
    }

    /**
     * Sends the received data to subscribers and closes their connections; the future completes when they have ended.
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

    long malformedCount() {
        return malformedCount.sum();
    }
}
