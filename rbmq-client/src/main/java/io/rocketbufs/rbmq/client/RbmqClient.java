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
 * first needed, so a client that only publishes never opens the second one. If a connection cannot be opened, the call
 * that needs it fails, and a later call tries again. If an open connection is lost, the client replaces it, unless
 * {@link ReconnectSettings#enabled()} is false. Both connections lead to the same broker.
 *
 * <pre>
 *           connect               first publish or subscribe                  close
 *  nothing ---------> unconnected ---------------------------> connected ---------------> closed
 *                          |                                                                ^
 *                          +-------------------------- close -------------------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread; handlers run on one worker. <b>Ownership:</b> owns its connections. Also owns
 * its RocketBufs, unless the options supply one.
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
     * Creates a client with the {@linkplain ClientOptions#defaults() default options}, like
     * {@link #connect(ClientOptions)}.
     */
    public static RbmqClient connect() {
        return connect(ClientOptions.defaults());
    }

    /**
     * Creates a client of the given broker with otherwise {@linkplain ClientOptions#defaults() default options}, like
     * {@link #connect(ClientOptions)}.
     *
     * @param brokers one or more {@code HOST:PORT} addresses, separated by commas and tried in the given order
     * @throws IllegalArgumentException when {@code brokers} does not have this form
     */
    public static RbmqClient connect(String brokers) {
        return connect(ClientOptions.defaults().withBrokers(brokers));
    }

    /**
     * Creates a client without connecting to the broker. The first call that publishes or subscribes connects. To
     * connect immediately, call {@link #publisher()} or {@link #subscriber()}.
     *
     * @throws io.rocketbufs.settings.SettingsException when a value in the configuration is invalid; the message names
     *     its key, file and line
     */
    public static RbmqClient connect(ClientOptions options) {
        return new RbmqClient(options);
    }

    // Publishing.

    /**
     * Returns a handle for publishing to a topic. The handle saves a topic lookup per message and can
     * {@linkplain TopicPublisher#claim write messages in place}. Connects if necessary; see {@link Publisher#topic}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public TopicPublisher topic(String topic) {
        return publisher().topic(topic);
    }

    /**
     * Returns a handle for publishing to a topic with options; see {@link Publisher#topic(String, TopicOptions)}.
     * Connects if necessary.
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
     * Publishes a message, waiting for space if necessary. Connects if necessary; see
     * {@link TopicPublisher#publish(byte[])}.
     *
     * @return any result except NO_SPACE
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult publish(String topic, byte[] message) {
        return topic(topic).publish(message);
    }

    /**
     * Publishes the bytes between a buffer's position and limit, without changing either; otherwise like
     * {@link #publish(String, byte[])}.
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
     * Publishes a message if there is space; see {@link TopicPublisher#tryPublish(byte[])}. The client's first call
     * that publishes waits for the connection.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult tryPublish(String topic, byte[] message) {
        return topic(topic).tryPublish(message);
    }

    /**
     * Publishes the bytes between a buffer's position and limit, without changing either; otherwise like
     * {@link #tryPublish(String, byte[])}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public PublishResult tryPublish(String topic, ByteBuffer message) {
        return topic(topic).tryPublish(message);
    }

    /**
     * Returns a future that completes when the broker has consumed everything published so far. The future fails with
     * the reason if the broker will not consume everything; see {@link Publisher#flush()}. May be called on any thread,
     * including a handler's.
     */
    public CompletableFuture<Void> flush() {
        Publisher open = connections.openPublisher();
        return open == null ? CompletableFuture.completedFuture(null) : open.flush();
    }

    /**
     * Waits until the broker has consumed everything published so far; see {@link Publisher#flush(long)}.
     *
     * @return true if the broker has consumed everything; false if {@code timeoutMs} milliseconds have passed, the
     *     connection is lost, a topic was refused, or the thread is interrupted
     */
    public boolean flush(long timeoutMs) {
        Publisher open = connections.openPublisher();
        return open == null || open.flush(timeoutMs);
    }

    // Subscribing.

    /**
     * Subscribes with the default options, like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Subscription subscribe(String filter, MessageHandler handler) {
        return subscriber().subscribe(filter, handler);
    }

    /**
     * Subscribes with a policy for slow subscribers, like {@link #subscribe(String, MessageHandler,
     * SubscriptionOptions)}.
     *
     * @param policy the policy; null selects the policy in this client's options
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
     * Returns a flow of messages with the default options, like {@link #flow(String, SubscriptionOptions)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter) {
        return subscriber().flow(filter);
    }

    /**
     * Returns the messages of a topic, or of all topics that match a filter, as a Reactive Streams publisher. Connects
     * if necessary. See {@link Subscriber#flow(String, SubscriptionOptions)}.
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
     * Sends a request to the responders of a topic and returns a future for the first reply. Waits only if a connection
     * must be opened. The future completes on a worker (also after a timeout), on the thread that calls this method, or
     * on the thread that closes the client. Callbacks on the future must not block. The future fails with a
     * {@link RequestException}, which states the {@linkplain RequestException#reason() reason}. If the topic has no
     * subscribers, it fails at once with a {@link NoRespondersException}. Cancelling the future only discards the
     * reply.
     *
     * @param headers the request's headers, which are copied; the library adds reply-to, correlation and expires
     * @throws IllegalArgumentException when the topic is invalid, the request is too long, or the timeout is not
     *     positive
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when this client is closed or does not use flow control, or when a connection must
     *     be opened but this thread is a worker
     */
    public CompletableFuture<Reply> request(String topic, Headers headers, byte[] request, Duration timeout) {
        return requestReply.request(topic, headers, request, timeout);
    }

    /** Responds to requests like {@link #respond(String, RequestHandler, SubscriptionOptions)}. */
    public Responder respond(String filter, RequestHandler handler) {
        return respond(filter, handler, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Passes requests to a topic, or to all topics that match a filter, to a handler that replies to them. Connects if
     * necessary. A handler that blocks needs an {@linkplain SubscriptionOptions#withExecutor executor}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalArgumentException when the name or filter is invalid (see {@link #subscribe}), or when the options
     *     request older messages
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
     * Returns the connection that publishes. If necessary, opens it and waits until the broker has accepted it.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when the connection is not open, and this client is closed or this thread is a
     *     worker, which must not wait
     */
    public Publisher publisher() {
        return connections.publisher();
    }

    /**
     * Returns the connection that subscribes. If necessary, opens it and waits until the broker has accepted it.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException when the connection is not open, and this client is closed or this thread is a
     *     worker, which must not wait
     */
    public Subscriber subscriber() {
        return connections.subscriber();
    }

    /** Returns the RocketBufs that this client uses, which provides further counters. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    // Counters; they remain readable after close.

    /** Returns the number of messages published, including requests and replies. */
    public long publishedCount() {
        return published(Publisher::publishedCount);
    }

    /** Returns the total length in bytes of the messages published, excluding their headers. */
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

    /** Returns the number of times that a lost connection was replaced by a new one, across both connections. */
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

    /** Returns the subscriptions that have not ended, in no particular order, excluding subscriptions to inboxes. */
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
     * Closes this client. It first fails the requests in flight and accepts no further ones. It then flushes replies
     * and messages for at most the drain timeout in the options, and closes both connections, and finally the
     * RocketBufs if this client owns it.
     *
     * <p>Afterwards, {@link #unconfirmedCount()} returns the number of messages that were not confirmed. No handler is
     * called after that, except on an executor, where a handler may be called until {@link Subscription#closed()}
     * completes.
     *
     * <p>When a handler calls this method on the worker, it returns at once, and another thread closes the client.
     * {@link #closed()} completes when that thread has finished. Idempotent.
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

    /** Completes the future last, and without holding the lock, because completing it runs the application's code. */
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
