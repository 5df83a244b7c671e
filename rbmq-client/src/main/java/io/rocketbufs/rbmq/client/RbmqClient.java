package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.time.Duration;
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
 * that needs it fails, and a later call tries again. A connection that was open and is lost is replaced, unless
 * {@link ReconnectSettings#enabled()} is false. Both connections lead to the same broker.
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
    private final ClientConnections connections;
    private final RequestReply requestReply = new RequestReply(this::publisher, this::subscriber);

    private RbmqClient(ClientOptions options) {
        this.options = options;
        this.rocketBufs = options.openRocketBufs();
        this.connections = new ClientConnections(options, rocketBufs, closing::get, closed::completeExceptionally);
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
     * Returns a handle to publish to a topic with options; see {@link Publisher#topic(String, TopicOptions)}. Connects
     * if necessary.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public TopicPublisher topic(String topic, TopicOptions options) {
        return publisher().topic(topic, options);
    }

    /**
     * Publishes a string, encoded as UTF-8, like {@link #publish(String, byte[])}.
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
     * Publishes a string, encoded as UTF-8, like {@link #tryPublish(String, byte[])}.
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
        Publisher open = connections.openPublisher();
        return open == null ? CompletableFuture.completedFuture(null) : open.flush();
    }

    /**
     * Waits until the broker has consumed everything published so far; see {@link Publisher#flush(long)}.
     *
     * @return false when {@code timeoutMs} milliseconds have passed, the connection is lost, a topic was refused, or
     *     the thread is interrupted
     */
    public boolean flush(long timeoutMs) {
        Publisher open = connections.openPublisher();
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

    // Requests and replies.

    /**
     * Sends a request without headers; see {@link #request(String, Headers, byte[], Duration)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public CompletableFuture<Reply> request(String topic, byte[] request, Duration timeout) {
        return request(topic, new Headers(), request, timeout);
    }

    /**
     * Sends a request to the responders of a topic, and returns a future of the first reply. Does not wait, except for
     * connections that are not open yet. The future completes on a worker, even after a time-out, or on the thread that
     * calls this method or closes the client; callbacks on it must not block. It fails with a {@link RequestException},
     * whose reason is one of its constants; {@link NoRespondersException} follows at once if the topic has no
     * subscribers. Cancelling the future only discards the reply.
     *
     * @param headers copied; the library sets reply-to, correlation and expires
     * @throws IllegalArgumentException when the topic is invalid, the request is too long, or the time-out not positive
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when this client is closed or has no flow control, or a connection is not open and
     *     this thread is a worker
     */
    public CompletableFuture<Reply> request(String topic, Headers headers, byte[] request, Duration timeout) {
        return requestReply.request(topic, headers, request, timeout);
    }

    /** Responds to requests like {@link #respond(String, RequestHandler, SubscriptionOptions)}. */
    public Responder respond(String filter, RequestHandler handler) {
        return respond(filter, handler, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Passes the requests to a topic, or to all topics that match a filter, to a handler that replies to them. Connects
     * if necessary. A handler that blocks needs an {@linkplain SubscriptionOptions#withExecutor executor}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalArgumentException when the name or filter is invalid, see {@link #subscribe}, or when the options
     *     begin with older messages
     */
    public Responder respond(String filter, RequestHandler handler, SubscriptionOptions options) {
        return requestReply.respond(filter, handler, options);
    }

    /** Returns the counters of requests and replies; they remain readable after close. */
    public RequestCounts requestCounts() {
        return requestReply.counts();
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
        return connections.publisher();
    }

    /**
     * Returns the connection that subscribes; opens it if necessary, and then waits until the broker has accepted it.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when the connection is not open yet, and this client is closed or this thread is a
     *     worker, which must not wait
     */
    public Subscriber subscriber() {
        return connections.subscriber();
    }

    /** Returns the RocketBufs that this client uses, for its counters. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    // Counters; they remain readable after close.

    /** Returns the number of messages published, including requests and replies. */
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

    /** Returns {@link Publisher#resentCount()}. */
    public long resentCount() {
        return published(Publisher::resentCount);
    }

    /** Returns {@link Publisher#droppedCount()}. */
    public long droppedCount() {
        return published(Publisher::droppedCount);
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

    /** Returns {@link Subscriber#lostLength()}. */
    public long lostLength() {
        return received(Subscriber::lostLength);
    }

    /** Returns {@link Subscriber#unknownGapCount()}. */
    public long unknownGapCount() {
        return received(Subscriber::unknownGapCount);
    }

    /** Returns the number of times that a lost connection was replaced, for both connections together. */
    public long reconnectCount() {
        return published(Publisher::reconnectCount) + received(Subscriber::reconnectCount);
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return received(Subscriber::failedCount);
    }

    /** Returns {@link Subscriber#malformedCount()}. */
    public long malformedCount() {
        return received(Subscriber::malformedCount);
    }

    /** Returns {@link Subscriber#causedDelayCount()}. */
    public long causedDelayCount() {
        return received(Subscriber::causedDelayCount);
    }

    /** Returns {@link Publisher#sufferedDelayCount()}. */
    public long sufferedDelayCount() {
        return published(Publisher::sufferedDelayCount);
    }

    /** Returns the topics that have been published to, in no particular order. */
    Collection<TopicPublisher> topics() {
        Publisher open = connections.openPublisher();
        return open == null ? List.of() : open.topics();
    }

    /** Returns the subscriptions that have not ended, in no particular order; those to inboxes are not among them. */
    Collection<Subscription> subscriptions() {
        Subscriber open = connections.openSubscriber();
        return open == null ? List.of() : open.subscriptions();
    }

    private long published(ToLongFunction<Publisher> number) {
        Publisher open = connections.openPublisher();
        return open == null ? 0 : number.applyAsLong(open);
    }

    private long received(ToLongFunction<Subscriber> number) {
        Subscriber open = connections.openSubscriber();
        return open == null ? 0 : number.applyAsLong(open);
    }

    // End.

    /**
     * Returns a future that completes when the client has ended: normally after {@link #close}, exceptionally when one
     * of its connections is lost and will not be replaced.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Fails the requests in flight and takes no further ones, flushes replies and messages for at most the drain
     * timeout in the options, closes both connections, and then the RocketBufs if this client owns it. After that,
     * {@link #unconfirmedCount()} returns the number of messages that were not confirmed, and no handler is called,
     * except that one on an executor may be called until {@link Subscription#closed()} completes. In a handler on the
     * worker, this method returns at once, and another thread closes the client; {@link #closed()} completes after
     * that. Idempotent.
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
            connections.close(requestReply.close(options.publisher().drainTimeoutMs()));
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
}
