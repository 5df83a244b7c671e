package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;

/**
 * A client of one broker, which publishes messages to topics and subscribes to topics.
 *
 * <p>A client has at most two connections: a {@link Publisher} and a {@link Subscriber}. Each is opened when it is
 * first needed, so a client that only publishes never has the second one. If a connection cannot be opened, the call
 * that needs it fails, and a later call tries again. A connection that was open and is lost is not replaced: create a
 * new client.
 *
 * <pre>
 *           connect               first publish or subscribe                  close
 *  nothing ---------> unconnected ---------------------------> connected ---------------> closed
 *                          |                                                                ^
 *                          +-------------------------- close -------------------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread; handlers run on one worker. <b>Ownership:</b> owns its connections, and its
 * RocketBufs unless the options contain one.
 */
public final class RbmqClient implements AutoCloseable {
    private final ClientOptions options;
    private final RocketBufs rocketBufs;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();

    // Written under this object's lock, which is held while connecting, so a worker must not take it.
    private volatile Publisher publisher;
    private volatile Subscriber subscriber;

    private RbmqClient(ClientOptions options) {
        this.options = options;
        this.rocketBufs = options.openRocketBufs();
    }

    /**
     * Creates a client like {@link #connect(ClientOptions)}, with the {@linkplain ClientOptions#defaults() defaults}.
     */
    public static RbmqClient connect() {
        return connect(ClientOptions.defaults());
    }

    /**
     * Creates a client like {@link #connect(ClientOptions)}, with the {@linkplain ClientOptions#defaults() default
     * options} and the given broker.
     *
     * @param brokers {@code HOST:PORT}, or several, separated by commas, which are tried in this order
     * @throws IllegalArgumentException when the text has another form
     */
    public static RbmqClient connect(String brokers) {
        return connect(ClientOptions.defaults().withBrokers(brokers));
    }

    /**
     * Creates a client. This method does not wait: the first call that publishes or subscribes connects to the broker.
     * To connect at once, call {@link #publisher()} or {@link #subscriber()}.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of an invalid value in the
     *     configuration
     */
    public static RbmqClient connect(ClientOptions options) {
        return new RbmqClient(options);
    }

    // Publishing.

    /**
     * Returns a handle to publish to a topic, which saves a lookup for each message and can
     * {@linkplain TopicPublisher#claim write messages in place}. Connects if necessary; see {@link Publisher#topic}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public TopicPublisher topic(String topic) {
        return publisher().topic(topic);
    }

    /**
     * Publishes a text in UTF-8 like {@link #publish(String, byte[])}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult publish(String topic, String message) {
        return publish(topic, message.getBytes(UTF_8));
    }

    /**
     * Publishes a message, and waits for space if necessary. Connects if necessary; see
     * {@link TopicPublisher#publish(byte[])}.
     *
     * @return any result except NO_SPACE
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult publish(String topic, byte[] message) {
        return topic(topic).publish(message);
    }

    /**
     * Publishes the bytes between a buffer's position and limit like {@link #publish(String, byte[])}; does not change
     * either.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult publish(String topic, ByteBuffer message) {
        return topic(topic).publish(message);
    }

    /**
     * Publishes a text in UTF-8 like {@link #tryPublish(String, byte[])}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult tryPublish(String topic, String message) {
        return tryPublish(topic, message.getBytes(UTF_8));
    }

    /**
     * Publishes a message if there is space; see {@link TopicPublisher#tryPublish(byte[])}. The first call of a client
     * that publishes waits for the connection.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult tryPublish(String topic, byte[] message) {
        return topic(topic).tryPublish(message);
    }

    /**
     * Publishes the bytes between a buffer's position and limit like {@link #tryPublish(String, byte[])}; does not
     * change either.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult tryPublish(String topic, ByteBuffer message) {
        return topic(topic).tryPublish(message);
    }

    /**
     * Returns a future that completes when the broker has consumed everything published so far, and fails with the
     * reason when it will not; see {@link Publisher#flush()}. Any thread, including a handler's.
     */
    public CompletableFuture<Void> flush() {
        Publisher open = publisher;
        return open == null ? CompletableFuture.completedFuture(null) : open.flush();
    }

    /**
     * Waits until the broker has consumed everything published so far; see {@link Publisher#flush(long)}.
     *
     * @return false when {@code timeoutMs} milliseconds have passed, the connection is lost, a topic was refused, or
     *     the thread is interrupted
     */
    public boolean flush(long timeoutMs) {
        Publisher open = publisher;
        return open == null || open.flush(timeoutMs);
    }

    // Subscribing.

    /**
     * Subscribes like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}, with the default options.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Subscription subscribe(String filter, MessageHandler handler) {
        return subscriber().subscribe(filter, handler);
    }

    /**
     * Subscribes like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}, with a policy for slow
     * subscribers.
     *
     * @param policy null selects the policy in the options of this client
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Subscription subscribe(String filter, MessageHandler handler, SlowPolicy policy) {
        return subscriber().subscribe(filter, handler, policy);
    }

    /**
     * Subscribes to a topic, or to all topics that match a filter such as {@code sensors/+/temperature} or
     * {@code sensors/#}; connects if necessary. See {@link Subscriber#subscribe(String, MessageHandler,
     * SubscriptionOptions)}.
     *
     * @return the subscription; {@link Subscription#ready()} completes when it is live
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Subscription subscribe(String filter, MessageHandler handler, SubscriptionOptions options) {
        return subscriber().subscribe(filter, handler, options);
    }

    /**
     * Returns a flow of the messages like {@link #flow(String, SubscriptionOptions)}, with the default options.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter) {
        return subscriber().flow(filter);
    }

    /**
     * Returns the messages of a topic, or of all topics that match a filter, as a publisher of Reactive Streams;
     * connects if necessary. See {@link Subscriber#flow(String, SubscriptionOptions)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter, SubscriptionOptions options) {
        return subscriber().flow(filter, options);
    }

    // Connections.

    /**
     * Returns the connection that publishes; opens it if necessary, and then waits until the broker has accepted it.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when the connection is not open yet, and this client is closed or this thread is a
     *     worker, which must not wait
     */
    public Publisher publisher() {
        Publisher open = publisher;
        return open != null ? open : openPublisher();
    }

    private Publisher openPublisher() {
        requireMayWait("publishes", "publisher()");
        Publisher opened;
        synchronized (this) {
            if (publisher != null) {
                return publisher;
            }
            requireNotClosed();
            opened = BrokerAddresses.connect(options.publisher().brokers(), this::publisherAt);
            publisher = opened;
        }
        reportLossOf(opened.closed());
        return opened;
    }

    private Publisher publisherAt(InetSocketAddress address) {
        Publisher opened = Publisher.open(rocketBufs, options.publisher(), address, options.publisherCallback());
        if (subscriber != null && !isSame(subscriber.broker(), opened.broker())) {
            opened.close();
            throw anotherBroker(address, "subscribes");
        }
        return opened;
    }

    /**
     * Returns the connection that subscribes; opens it if necessary, and then waits until the broker has accepted it.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when the connection is not open yet, and this client is closed or this thread is a
     *     worker, which must not wait
     */
    public Subscriber subscriber() {
        Subscriber open = subscriber;
        return open != null ? open : openSubscriber();
    }

    private Subscriber openSubscriber() {
        requireMayWait("subscribes", "subscriber()");
        Subscriber opened;
        synchronized (this) {
            if (subscriber != null) {
                return subscriber;
            }
            requireNotClosed();
            opened = BrokerAddresses.connect(options.subscriber().brokers(), this::subscriberAt);
            subscriber = opened;
        }
        reportLossOf(opened.closed());
        return opened;
    }

    private Subscriber subscriberAt(InetSocketAddress address) {
        Subscriber opened = Subscriber.connect(rocketBufs, options.subscriber(), options.callback(), address);
        if (publisher != null && !isSame(publisher.broker(), opened.broker())) {
            opened.close();
            throw anotherBroker(address, "publishes");
        }
        return opened;
    }

    private void requireMayWait(String what, String method) {
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException("the connection that " + what
                    + " is not open, and a handler must not wait for it: call " + method + " before subscribing");
        }
    }

    private void requireNotClosed() {
        if (closing.get()) {
            throw new IllegalStateException("this client is closed");
        }
    }

    /** Both connections must lead to one broker; otherwise, the client would not receive what it publishes. */
    private static boolean isSame(Welcome one, Welcome other) {
        return one.brokerId() == other.brokerId();
    }

    private static TransportException anotherBroker(InetSocketAddress address, String what) {
        return new TransportException(
                TransportException.Code.UNREACHABLE,
                "the broker at " + HostPort.of(address) + " is not the one with which this client already " + what
                        + ", or it was restarted: create a new client");
    }

    private void reportLossOf(CompletableFuture<Void> end) {
        end.whenComplete((done, failure) -> {
            if (failure != null) {
                closed.completeExceptionally(failure);
            }
        });
    }

    /** Returns the RocketBufs that this client uses, for its counters. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    // Counters; they remain readable after close.

    /** Returns the number of messages published. */
    public long publishedCount() {
        return published(Publisher::publishedCount);
    }

    /** Returns the total length of the messages published in bytes, without their headers. */
    public long publishedLength() {
        return published(Publisher::publishedLength);
    }

    /** Returns {@link Publisher#confirmedCount()}. */
    public long confirmedCount() {
        return published(Publisher::confirmedCount);
    }

    /** Returns {@link Publisher#unconfirmedCount()}. */
    public long unconfirmedCount() {
        return published(Publisher::unconfirmedCount);
    }

    /** Returns {@link Publisher#unconfirmedLength()}. */
    public long unconfirmedLength() {
        return published(Publisher::unconfirmedLength);
    }

    /** Returns {@link Publisher#unheardCount()}. */
    public long unheardCount() {
        return published(Publisher::unheardCount);
    }

    /** Returns {@link Subscriber#receivedCount()}. */
    public long receivedCount() {
        return received(Subscriber::receivedCount);
    }

    /** Returns {@link Subscriber#receivedLength()}. */
    public long receivedLength() {
        return received(Subscriber::receivedLength);
    }

    /** Returns the number of bytes skipped, including headers. */
    public long lostLength() {
        return received(Subscriber::lostLength);
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return received(Subscriber::failedCount);
    }

    /** Returns {@link Subscriber#malformedCount()}. */
    public long malformedCount() {
        return received(Subscriber::malformedCount);
    }

    /** Returns the topics that have been published to, in no particular order. */
    Collection<TopicPublisher> topics() {
        Publisher open = publisher;
        return open == null ? List.of() : open.topics();
    }

    /** Returns the subscriptions that have not ended, in no particular order. */
    Collection<Subscription> subscriptions() {
        Subscriber open = subscriber;
        return open == null ? List.of() : open.subscriptions();
    }

    private long published(ToLongFunction<Publisher> number) {
        Publisher open = publisher;
        return open == null ? 0 : number.applyAsLong(open);
    }

    private long received(ToLongFunction<Subscriber> number) {
        Subscriber open = subscriber;
        return open == null ? 0 : number.applyAsLong(open);
    }

    // End.

    /**
     * Returns a future that completes when the client has ended: normally after {@link #close}, exceptionally when one
     * of its connections is lost.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Flushes for at most the drain timeout in the options, closes both connections, and then the RocketBufs if this
     * client owns it. After that, {@link #unconfirmedCount()} returns the number of messages that were not confirmed,
     * and no handler is called, except that one on an executor may be called until {@link Subscription#closed()}
     * completes. In a handler on the worker, this method returns at once, and another thread closes the client;
     * {@link #closed()} completes after that. Idempotent.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        if (rocketBufs.isWorkerThread()) {
            new Thread(this::end, "rbmq-client-close").start();
        } else {
            end();
        }
    }

    /** Completes the future last, and without the lock, because the application's code depends on it. */
    private void end() {
        try {
            closeConnections();
        } finally {
            try {
                closeRocketBufs();
            } finally {
                closed.complete(null);
            }
        }
    }

    private void closeRocketBufs() {
        if (options.ownsRocketBufs()) {
            rocketBufs.close();
        }
    }

    /**
     * Waits for a thread that is connecting; no other thread connects after that. Closes the publisher first, so that
     * the subscriber still receives what the publisher flushes.
     */
    private synchronized void closeConnections() {
        try {
            if (publisher != null) {
                publisher.close();
            }
        } finally {
            if (subscriber != null) {
                subscriber.close();
            }
        }
    }
}
