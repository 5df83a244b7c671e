package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicBuffersLayout;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A subscriber to topics of one broker, which passes their messages to handlers.
 *
 * <p>Several subscriptions may match the same topic. Each of them receives every message of the topic, but the message
 * arrives only once, in one buffer, to which one slow policy applies. Subscriptions that can match the same topic must
 * therefore have the same policy. A weaker policy would lose messages that a subscription with BLOCK relies on, and a
 * stricter one would delay publishers that a subscription with SKIP must not delay, so neither is chosen silently.
 *
 * <p>A subscriber does not reconnect automatically. It would miss the messages published while it was disconnected, and
 * only the application knows how to handle that.
 *
 * <p><b>Thread-safety:</b> any thread; handlers and callbacks run on one worker. <b>Ownership:</b> owns its connection,
 * buffers and subscriptions, but not the RocketBufs. <b>Source:</b> RocketBufs 4.1, figure 2.
 */
public final class Subscriber implements AutoCloseable {
    private final RocketBufs rocketBufs;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Subscription.Owner requests = new Requests();
    private final SubscriptionList subscriptions = new SubscriptionList();
    private Connection connection;
    private Welcome welcome;
    private RIn in;
    private PublisherBuffers buffers;

    private Subscriber(RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.callback = callback;
    }

    /**
     * Connects to the broker in the settings, at the first of its addresses that accepts the connection; blocks until
     * then.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Subscriber connect(RocketBufs rocketBufs, ClientSettings settings) {
        return connect(rocketBufs, settings, new SubscriberCallback() {});
    }

    /**
     * Connects like {@link #connect(RocketBufs, ClientSettings)}, with a callback for gaps, errors and the end of
     * publishers.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Subscriber connect(RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback) {
        BrokerConnection.checkMayWait(rocketBufs);
        return BrokerAddresses.connect(settings.brokers(), address -> connect(rocketBufs, settings, callback, address));
    }

    /** Connects to the broker at one of its addresses. */
    static Subscriber connect(
            RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback, InetSocketAddress address) {
        Subscriber subscriber = new Subscriber(rocketBufs, settings, callback);
        subscriber.welcome = BrokerConnection.open(
                rocketBufs,
                settings,
                address,
                Role.SUBSCRIBER,
                subscriber::attach,
                subscriber::onMessage,
                subscriber::onClosed);
        return subscriber;
    }

    /**
     * Called on the worker before the broker's first message; the connecting thread sees the fields because it waits
     * for a future that the worker completes afterwards.
     */
    private void attach(Connection established) {
        connection = established;
        in = new RIn(established);
        buffers = new PublisherBuffers(in, settings, callback);
    }

    /** Subscribes like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}, with the default options. */
    public Subscription subscribe(String filter, MessageHandler handler) {
        return subscribe(filter, handler, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Subscribes like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}, with a policy for slow
     * subscribers.
     *
     * @param policy null selects the policy in the settings
     */
    public Subscription subscribe(String filter, MessageHandler handler, SlowPolicy policy) {
        return subscribe(filter, handler, SubscriptionOptions.DEFAULTS.withSlowPolicy(policy));
    }

    /**
     * Subscribes to a topic, or to all topics that match a filter, including those that appear later. A topic need not
     * have a publisher yet. Slashes divide the name of a topic into levels. In a filter, the level {@code +} matches
     * one level, and {@code #} as the last level matches any number of levels, including none.
     *
     * @param filter the name of a topic, or a filter
     * @return the subscription; {@link Subscription#ready()} completes when it is live
     * @throws IllegalArgumentException when the name or filter is invalid; a topic's name has 1 to 255 bytes of UTF-8,
     *     contains neither control characters nor {@code +} nor {@code #}, and does not begin with {@code $}
     * @throws IllegalStateException when this subscriber is closed, or has a subscription with another policy that can
     *     match the same topic
     */
    public Subscription subscribe(String filter, MessageHandler handler, SubscriptionOptions options) {
        return subscribe(TopicFilter.of(filter), handler, options);
    }

    /** Subscribes to the inbox in WELCOME, under the policy BLOCK, because replies must not be skipped. */
    Subscription subscribeToInbox(MessageHandler handler) {
        return subscribe(
                TopicFilter.ofOrInbox(welcome.inbox()),
                handler,
                SubscriptionOptions.DEFAULTS.withSlowPolicy(SlowPolicy.BLOCK));
    }

    /** Runs a task on the worker that calls the handlers; see {@link Connection#execute}. */
    void execute(Runnable task) {
        connection.execute(task);
    }

    /** Lets the worker report a failure that belongs to no publisher. */
    void report(String topic, Throwable failure) {
        execute(() -> callback.onError(topic, 0, failure));
    }

    ClientSettings settings() {
        return settings;
    }

    private Subscription subscribe(TopicFilter parsed, MessageHandler handler, SubscriptionOptions options) {
        Objects.requireNonNull(handler, "handler");
        return subscribe(parsed, handler, options, null);
    }

    /**
     * Returns a flow of the messages like {@link #flow(String, SubscriptionOptions)}, with the default options.
     *
     * @throws IllegalArgumentException when the name or filter is invalid
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter) {
        return flow(filter, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Returns the messages of a topic, or of all topics that match a filter, as a publisher of Reactive Streams. Each
     * {@code subscribe} of the flow subscribes to the filter like {@link #subscribe(String, MessageHandler,
     * SubscriptionOptions)}, and the consumer then receives a copy of every message from the time at which the broker
     * has accepted the subscription. While the consumer has no unfulfilled request, the messages wait as if the
     * subscription were {@linkplain Subscription#pause() paused}.
     *
     * <p>The signals come from the connection's worker, where {@code onNext} must not block, or from the executor in
     * the options. {@code onSubscribe} comes from the thread that subscribes, and so does {@code onError} if the broker
     * is not asked. {@code onComplete} follows {@link #close()}. {@code onError} is called with a TransportException
     * when the broker refuses the subscription or the connection is lost, with a RejectedExecutionException when the
     * executor rejects the messages, and with an IllegalStateException when the subscription is not possible because
     * this subscriber is closed or has a subscription with another policy that can match the same topic.
     *
     * @param filter the name of a topic, or a filter
     * @return a flow for any number of consumers
     * @throws IllegalArgumentException when the name or filter is invalid
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter, SubscriptionOptions options) {
        TopicFilter parsed = TopicFilter.of(filter);
        Objects.requireNonNull(options, "options");
        return new MessageFlow((handler, demand) -> subscribe(parsed, handler, options, demand));
    }

    /** Subscribes, and limits the messages to a demand unless that is null. */
    private Subscription subscribe(
            TopicFilter parsed, MessageHandler handler, SubscriptionOptions options, Demand demand) {
        SlowPolicy policy = options.slowPolicy() == null ? settings.slowPolicy() : options.slowPolicy();
        Subscription subscription = subscriptions.add(number -> {
            Subscription added = new Subscription(number, parsed, handler, options, policy, requests);
            if (demand != null) {
                added.limitBy(demand);
            }
            return added;
        });
        String unsupported = describeUnsupported(subscription);
        if (unsupported != null) {
            onRefused(subscription, unsupported);
        } else {
            request(subscription);
        }
        return subscription;
    }

    /** Returns why the broker does not support a new subscription; null when it does. */
    private String describeUnsupported(Subscription subscription) {
        if (Features.include(welcome.features(), Features.FILTERS)) {
            return null;
        }
        if (subscription.topicFilter().isWildcard()) {
            return "it does not support filters; upgrade the broker, or subscribe to each topic";
        }
        return subscriptions.hasEarlier(subscription)
                ? "it does not support several subscriptions to a topic; upgrade the broker, or use another Subscriber"
                : null;
    }

    private void request(Subscription subscription) {
        try {
            connection.sendControlMessage(
                    TopicLayout.write(subscription.number(), subscription.policy(), subscription.filter()));
        } catch (TransportException e) {
            subscriptions.remove(subscription);
            subscription.fail(e);
        }
    }

    /**
     * Asks the broker to end a subscription. A failure ends the connection, because the broker would otherwise continue
     * with a subscription that this side has given up.
     */
    private void requestEnd(Subscription subscription) {
        try {
            connection.sendControlMessage(
                    NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, subscription.number(), ""));
        } catch (TransportException e) {
            if (connection.isOpen()) { // its end ends all subscriptions
                throw e.withMessage(
                        "cannot end the subscription to \"" + subscription.filter() + "\": " + e.getMessage());
            }
        }
    }

    /** The requests and failures of subscriptions, from any thread. */
    private final class Requests implements Subscription.Owner {
        @Override
        public void onClose(Subscription subscription) {
            connection.execute(() -> {
                if (subscription.requestEnd()) {
                    requestEnd(subscription);
                }
            });
        }

        @Override
        public void onResume(Subscription subscription) {
            connection.execute(() -> {
                subscription.onResumed();
                if (connection.isOpen()) { // its end has ended the buffers
                    buffers.resume(subscription);
                }
            });
        }

        @Override
        public void onFailure(Subscription subscription, String topic, int publisher, Throwable failure) {
            connection.execute(() -> callback.onError(topic, publisher, failure));
        }

        @Override
        public void onFatal(Throwable failure) {
            connection.execute(() -> {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(failure);
            });
        }

        @Override
        public void onRejected(Subscription subscription) {
            connection.execute(() -> Subscriber.this.onRejected(subscription));
        }
    }

    private void onRejected(Subscription subscription) {
        Throwable failure = subscription.rejection();
        subscription.close();
        if (failure != null) {
            callback.onError(subscription.filter(), 0, failure);
        }
    }

    // Messages from the broker, handled on the worker.

    private void onMessage(RbmqType type, ByteBuffer message) {
        Subscription subscription = subscription(NoticeLayout.subscription(message));
        switch (type) {
            case BUFFERS_ADDED -> {
                checkTopic(subscription, subscription.filter(), false);
                for (int i = 0; i < BuffersLayout.count(message); i++) {
                    buffers.add(subscription, subscription.filter(), BuffersLayout.entry(message, i));
                }
            }
            case TOPIC_BUFFERS -> {
                String topic = TopicBuffersLayout.topic(message);
                checkTopic(subscription, topic, true);
                for (int i = 0; i < TopicBuffersLayout.count(message); i++) {
                    buffers.add(subscription, topic, TopicBuffersLayout.entry(message, i));
                }
            }
            case BUFFER_REMOVED -> buffers.onRemoved(NoticeLayout.bufferId(message), NoticeLayout.text(message));
            case TOPIC_LISTED -> onListed(subscription);
            case TOPIC_UNSUBSCRIBED -> onUnsubscribed(subscription);
            case TOPIC_REFUSED -> {
                if (subscription.isListed()) {
                    onTopicRefused(subscription, NoticeLayout.text(message));
                } else {
                    buffers.giveUp(subscription);
                    onRefused(subscription, NoticeLayout.text(message));
                }
            }
            default -> throw RbmqLayout.violation("the broker sent " + type + " to a subscriber");
        }
    }

    private Subscription subscription(int number) {
        Subscription subscription = subscriptions.get(number);
        if (subscription == null) {
            throw RbmqLayout.violation("the broker sent a message about unknown subscription " + number);
        }
        return subscription;
    }

    /**
     * Checks that buffers of a topic belong to a subscription.
     *
     * @param isNamed true when the broker has named the topic, which it must do if the filter has wildcards
     */
    private static void checkTopic(Subscription subscription, String topic, boolean isNamed) {
        TopicFilter filter = subscription.topicFilter();
        if (filter.isWildcard() != isNamed || !filter.matches(topic)) {
            throw RbmqLayout.violation("topic \"" + topic + "\" was added to subscription " + subscription.number()
                    + " to \"" + subscription.filter() + "\"");
        }
    }

    private void onListed(Subscription subscription) {
        if (subscription.isListed()) {
            throw RbmqLayout.violation("subscription " + subscription.number() + " was listed twice");
        }
        if (subscription.onListed()) {
            requestEnd(subscription);
        }
    }

    private void onUnsubscribed(Subscription subscription) {
        if (!subscription.isLeft()) {
            throw RbmqLayout.violation("subscription " + subscription.number() + " was ended without a request");
        }
        buffers.giveUp(subscription);
        subscriptions.remove(subscription);
        subscription.end();
    }

    private void onRefused(Subscription subscription, String reason) {
        subscriptions.remove(subscription);
        subscription.fail(new TransportException(
                TransportException.Code.REFUSED,
                "the broker refused the subscription to \"" + subscription.filter() + "\": " + reason));
    }

    /** Called when a topic that appeared later is left out of a subscription, which continues. */
    private void onTopicRefused(Subscription subscription, String reason) {
        if (!subscription.isLeft()) {
            callback.onError(
                    subscription.filter(),
                    0,
                    new TransportException(
                            TransportException.Code.REFUSED,
                            "a topic is left out of the subscription to \"" + subscription.filter() + "\": " + reason));
        }
    }

    private void onClosed(Throwable failure) {
        TransportException cause = failure instanceof TransportException known
                ? known
                : new TransportException(TransportException.Code.CLOSED, "the connection to the broker is closed");
        boolean wished = subscriptions.isClosed();
        List<Subscription> left = subscriptions.all();
        try {
            left.forEach(subscription -> buffers.abandon(subscription));
        } finally {
            if (in != null) {
                in.close();
            }
            left.forEach(subscription -> subscription.fail(cause));
        }
        BrokerConnection.complete(closed, failure, wished);
    }

    // Counters: the sums over all subscriptions, including those that have ended.

    /**
     * Returns the number of messages handed over, including replies and those whose handler threw; updated once per
     * transfer.
     */
    public long receivedCount() {
        return subscriptions.sum(SubscriptionCounts::receivedCount);
    }

    /** Returns the total length of the messages handed over in bytes, without their headers. */
    public long receivedLength() {
        return subscriptions.sum(SubscriptionCounts::receivedLength);
    }

    /**
     * Returns the number of bytes skipped, including headers. Bytes of a buffer that several subscriptions share count
     * once for each of them.
     */
    public long lostLength() {
        return subscriptions.sum(SubscriptionCounts::lostLength);
    }

    /**
     * Returns the number of publishers' buffers that this subscriber unsubscribed from because a frame was malformed. A
     * buffer that several subscriptions share counts once for each of them.
     */
    public long malformedCount() {
        return subscriptions.sum(SubscriptionCounts::malformedCount);
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return subscriptions.sum(SubscriptionCounts::failedCount);
    }

    /**
     * Returns the subscriptions that the broker has not confirmed as ended, in no particular order; those to the inbox
     * are not among them.
     */
    List<Subscription> subscriptions() {
        return subscriptions.all().stream()
                .filter(subscription -> !subscription.topicFilter().isInbox())
                .toList();
    }

    /**
     * Sends a heartbeat to the broker. The worker does this automatically, except while a handler keeps it busy. A
     * handler that cannot avoid waiting should call this about once a second, so that the policy for slow subscribers
     * applies instead of the heartbeat timeout.
     */
    public void ping() {
        connection.ping();
    }

    /** Returns the broker's introduction, which it sent when it accepted the connection. */
    public Welcome broker() {
        return welcome;
    }

    /** Returns true until the connection is lost or closed. */
    public boolean isConnected() {
        return connection.isOpen();
    }

    /** Returns a future that completes when the connection has ended: normally after close, otherwise exceptionally. */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Ends all subscriptions and closes. Waits until the connection has ended, except on a worker of the RocketBufs; no
     * handler is called after that, except that one on an executor may be called until {@link Subscription#closed()}
     * completes. Idempotent.
     */
    @Override
    public void close() {
        if (!subscriptions.close()) {
            return;
        }
        subscriptions.all().forEach(Subscription::leave);
        connection.close();
        if (!rocketBufs.isWorkerThread()) {
            BrokerConnection.awaitEnd(connection);
        }
    }
}
