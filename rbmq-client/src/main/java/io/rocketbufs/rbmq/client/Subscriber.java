package io.rocketbufs.rbmq.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A subscriber to topics of one broker, which passes their messages to handlers.
 *
 * <p>Several subscriptions may match the same topic. Each of them receives every message of the topic. Each message
 * arrives only once, however, in one buffer with one slow policy. Subscriptions that can match the same topic must
 * therefore have the same policy. A weaker policy would lose messages on which a BLOCK subscription relies, and a
 * stricter policy would delay publishers that a SKIP subscription must not delay. Neither policy is therefore chosen
 * silently. For the same reason, only the first of these subscriptions can start with older messages: see
 * {@link SubscriptionOptions#withStart}.
 *
 * <p>A subscriber that loses its connection reconnects, unless {@link ReconnectSettings#enabled()} is false. It then
 * continues its subscriptions and reports every message that they missed: see {@link Gap}.
 *
 * <p><b>Thread-safety:</b> any thread; handlers and callbacks run on one worker at a time. <b>Ownership:</b> owns its
 * connection, buffers and subscriptions, but not the RocketBufs. <b>Source:</b> RocketBufs 4.1, figure 2.
 */
public final class Subscriber implements AutoCloseable {
    private final RocketBufs rocketBufs;
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final SubscriptionOwner<Subscription> requests = new Requests();
    private final SubscriptionList subscriptions = new SubscriptionList();
    private final Reached reached = new Reached();
    private final CausedDelays delays;
    private final Reconnect<Reception> connections;

    // Guarded by this object's lock.
    /** The connection over which the subscriptions have been requested; null while there is no connection. */
    private Reception serving;
    /** The reason why the connection will not be replaced; null until that is known. */
    private TransportException endCause;

    private Subscriber(
            RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback, SameBroker sameBroker) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.callback = callback;
        this.delays = new CausedDelays(callback);
        this.connections =
                new Reconnect<>(Role.SUBSCRIBER, settings, rocketBufs.automatic(), sameBroker, callback, new Life());
    }

    /**
     * Connects to the broker in the settings, trying the broker's addresses in order. Blocks until one of them accepts
     * the connection.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Subscriber connect(RocketBufs rocketBufs, ClientSettings settings) {
        return connect(rocketBufs, settings, new SubscriberCallback() {});
    }

    /**
     * Connects with a callback for gaps, errors, the end of publishers, and lost connections; otherwise like
     * {@link #connect(RocketBufs, ClientSettings)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Subscriber connect(RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback) {
        return connect(rocketBufs, settings, callback, new SameBroker());
    }

    /** Connects to the broker that the client's other connection may already use. */
    static Subscriber connect(
            RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback, SameBroker sameBroker) {
        BrokerConnection.checkMayWait(rocketBufs);
        Subscriber subscriber = new Subscriber(rocketBufs, settings, callback, sameBroker);
        subscriber.connections.connect();
        return subscriber;
    }

    /** Subscribes with the default options, like {@link #subscribe(String, MessageHandler, SubscriptionOptions)}. */
    public Subscription subscribe(String filter, MessageHandler handler) {
        return subscribe(filter, handler, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Subscribes with a policy for slow subscribers, like {@link #subscribe(String, MessageHandler,
     * SubscriptionOptions)}.
     *
     * @param policy the policy; null selects the policy in the settings
     */
    public Subscription subscribe(String filter, MessageHandler handler, SlowPolicy policy) {
        return subscribe(filter, handler, SubscriptionOptions.DEFAULTS.withSlowPolicy(policy));
    }

    /**
     * Subscribes to a topic, or to all topics that match a filter, including topics that appear later. A topic need not
     * have a publisher yet. Slashes divide the name of a topic into levels. In a filter, the level {@code +} matches
     * exactly one level, and {@code #} as the last level matches any number of levels, including none. While the
     * subscriber is disconnected, the subscription waits for the next connection.
     *
     * @param filter the name of a topic, or a filter
     * @return the subscription; {@link Subscription#ready()} completes when it is live
     * @throws IllegalArgumentException when the name or filter is invalid; a topic's name has 1 to 255 bytes of UTF-8,
     *     contains neither control characters nor {@code +} nor {@code #}, and does not begin with {@code $}
     * @throws IllegalStateException when this subscriber is closed, or when another subscription can match the same
     *     topic and either has a different policy or precedes this one, which starts with older messages
     */
    public Subscription subscribe(String filter, MessageHandler handler, SubscriptionOptions options) {
        return subscribe(TopicFilter.of(filter), handler, options);
    }

    /** Subscribes to the inbox named in WELCOME. Uses the policy BLOCK, because replies must not be skipped. */
    Subscription subscribeToInbox(MessageHandler handler) {
        return subscribe(
                TopicFilter.ofOrInbox(broker().inbox()),
                handler,
                SubscriptionOptions.DEFAULTS.withSlowPolicy(SlowPolicy.BLOCK));
    }

    /** Runs a task on the worker that calls the handlers; see {@link CurrentWorker#execute}. */
    void execute(Runnable task) {
        connections.worker().execute(task);
    }

    /** Adds an internal callback, which is called before the application's callback. */
    void addCallback(ReconnectCallback added) {
        connections.addCallback(added);
    }

    /** Reports a failure that belongs to no publisher, on the worker. */
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
     * Returns a flow of messages with the default options, like {@link #flow(String, SubscriptionOptions)}.
     *
     * @throws IllegalArgumentException when the name or filter is invalid
     */
    public Flow.Publisher<ReceivedMessage> flow(String filter) {
        return flow(filter, SubscriptionOptions.DEFAULTS);
    }

    /**
     * Returns the messages of a topic, or of all topics that match a filter, as a Reactive Streams publisher. Each
     * {@code subscribe} of the flow subscribes to the filter like {@link #subscribe(String, MessageHandler,
     * SubscriptionOptions)}. Once the broker has accepted the subscription, the consumer receives a copy of every
     * message. While the consumer has no outstanding request, messages wait as if the subscription were
     * {@linkplain Subscription#pause() paused}.
     *
     * <p>Signals are sent on the connection's worker, where {@code onNext} must not block, or on the executor in the
     * options. {@code onSubscribe} is called on the thread that subscribes, and so is {@code onError} if the
     * subscription fails before the broker is asked. {@code onComplete} follows {@link #close()}. {@code onError} is
     * called with one of these exceptions:
     *
     * <ul>
     *   <li>a TransportException when the broker refuses the subscription, or when the connection is lost and will not
     *       be replaced;
     *   <li>a RejectedExecutionException when the executor rejects the messages;
     *   <li>an IllegalStateException when this subscriber is closed, or has a subscription to the same topic with which
     *       the new one cannot share messages.
     * </ul>
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

    /** Subscribes, and limits delivery to the given demand; null sets no limit. */
    private Subscription subscribe(
            TopicFilter parsed, MessageHandler handler, SubscriptionOptions options, Demand demand) {
        boolean isDefault = options.slowPolicy() == null && options.group() == null;
        SlowPolicy policy = isDefault ? settings.slowPolicy() : options.slowPolicy();
        Subscription subscription;
        TransportException failure;
        Reception to;
        synchronized (this) {
            subscription = subscriptions.add(number -> {
                long broker = connections.current().welcome().brokerId();
                Subscription added = new Subscription(number, parsed, handler, options, policy, broker, requests);
                if (demand != null) {
                    added.limitBy(demand);
                }
                return added;
            });
            failure = endCause;
            to = serving;
            if (to != null && subscription.start().isOlder()) {
                // Request it before any later subscription to the same topic, because the first request creates the
                // buffers.
                to.request(subscription);
                return subscription;
            }
        }
        if (failure != null) {
            subscriptions.remove(subscription);
            subscription.fail(failure);
        } else if (to != null) {
            to.request(subscription);
        }
        return subscription;
    }

    /** Handles the requests and failures of subscriptions, on any thread. */
    private final class Requests implements SubscriptionOwner<Subscription> {
        @Override
        public void onClose(Subscription subscription) {
            execute(() -> {
                Reception current = connections.current();
                if (current.connection().isOpen()) {
                    current.end(subscription);
                } else {
                    // The next connection will not request this subscription.
                    subscriptions.remove(subscription);
                    subscription.end();
                }
            });
        }

        @Override
        public void onResume(Runnable reading) {
            execute(reading);
        }

        @Override
        public void onReading(Subscription subscription) {
            subscription.onResumed();
            Reception current = connections.current();
            if (current.connection().isOpen()) { // otherwise, its buffers have ended
                current.readOn(subscription);
            }
        }

        @Override
        public void onFailure(Subscription subscription, String topic, int publisher, Throwable failure) {
            execute(() -> callback.onError(topic, publisher, failure));
        }

        @Override
        public void onFatal(Throwable failure) {
            connections.current().connection().execute(() -> {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(failure);
            });
        }

        @Override
        public void onRejected(Subscription subscription) {
            execute(() -> Subscriber.this.onRejected(subscription));
        }
    }

    private void onRejected(Subscription subscription) {
        Throwable failure = subscription.rejection();
        subscription.close();
        if (failure != null) {
            callback.onError(subscription.filter(), 0, failure);
        }
    }

    // Connections.

    /** The successive connections. */
    private final class Life implements Reconnect.Client<Reception> {
        @Override
        public Reception open(BrokerTarget target) {
            Reception opened = new Reception(settings, callback, subscriptions, reached, delays);
            opened.open(rocketBufs, settings, target, Role.SUBSCRIBER, opened::onMessage, connections::onClosed);
            return opened;
        }

        @Override
        public void onConnected(Reception first) {
            reached.begin(first.welcome().brokerId());
            serve(first);
        }

        @Override
        public void onLost(Reception lost) {
            serve(null);
            lost.remember();
            lost.free();
            for (Subscription subscription : subscriptions.all()) {
                subscription.onConnectionLost();
                if (subscription.isLeft() || subscription.topicFilter().isInbox()) { // no broker confirms its end
                    subscriptions.remove(subscription);
                    subscription.fail(Reception.inboxLost());
                }
            }
        }

        @Override
        public void onReplaced(Reception link) {
            List<Subscription> all;
            synchronized (Subscriber.this) {
                all = serve(link);
                link.expectToResume(all);
            }
            link.resume(all);
        }

        @Override
        public void onEnded(Reception last, Throwable failure) {
            try {
                if (last != null) {
                    last.abandon();
                    reportEnds(reached.ended());
                } else {
                    abandonReached();
                }
            } finally {
                if (last != null) {
                    last.free();
                }
                end(failure);
            }
        }
    }

    /** Makes a connection the one that requests new subscriptions; returns the existing subscriptions. */
    private synchronized List<Subscription> serve(Reception link) {
        serving = link;
        return subscriptions.all();
    }

    /**
     * Reports the messages that waited for paused subscriptions when the connection was lost, and the publishers that
     * have ended.
     */
    private void abandonReached() {
        List<Reached.Place> ended = reached.ended();
        SubscriptionIndex left = new SubscriptionIndex();
        subscriptions.all().forEach(left::add);
        for (Gap gap : reached.takeAbandoned()) {
            left.of(gap.topic()).forEach(subscription -> subscription.miss(gap));
            callback.onGap(gap);
        }
        reportEnds(ended);
    }

    private void reportEnds(List<Reached.Place> ended) {
        ended.forEach(place -> place.reportEnd(callback, null));
    }

    /** Ends all subscriptions, because the connection will not be replaced. */
    private void end(Throwable failure) {
        TransportException cause = failure instanceof TransportException known
                ? known
                : new TransportException(TransportException.Code.CLOSED, "the connection to the broker is closed");
        List<Subscription> left;
        synchronized (this) {
            endCause = cause;
            left = subscriptions.all();
        }
        boolean wished = subscriptions.isClosed();
        left.forEach(subscription -> subscription.fail(cause));
        BrokerConnection.complete(closed, failure, wished);
    }

    // Counters: the sums over all subscriptions, including those that have ended.

    /**
     * Returns the number of messages passed to handlers, including replies and messages whose handler threw. Updated
     * once per transfer.
     */
    public long receivedCount() {
        return subscriptions.sum(SubscriptionCounts::receivedCount);
    }

    /** Returns the total length in bytes of the messages passed to handlers, excluding their headers. */
    public long receivedLength() {
        return subscriptions.sum(SubscriptionCounts::receivedLength);
    }

    /**
     * Returns the number of bytes missed, including headers, in all gaps of known length. If several subscriptions
     * share a buffer, its missed bytes count once per subscription.
     */
    public long lostLength() {
        return subscriptions.sum(SubscriptionCounts::lostLength);
    }

    /** Returns the number of gaps whose length is {@link Gap#UNKNOWN}, counted once per subscription. */
    public long unknownGapCount() {
        return subscriptions.sum(SubscriptionCounts::unknownGapCount);
    }

    /**
     * Returns the number of publishers' buffers from which this subscriber unsubscribed because a frame was malformed.
     * If several subscriptions share a buffer, it counts once per subscription.
     */
    public long malformedCount() {
        return subscriptions.sum(SubscriptionCounts::malformedCount);
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return subscriptions.sum(SubscriptionCounts::failedCount);
    }

    /** Returns the transport of the current or most recent connection, and the reasons why no better one is used. */
    public ChosenTransport transport() {
        return connections.current().transport();
    }

    /** Returns the number of times that a lost connection was replaced. */
    public long reconnectCount() {
        return connections.reconnectCount();
    }

    /**
     * Returns the number of times that this subscriber started to delay a publisher: see
     * {@link SubscriberCallback#onSlow}.
     */
    public long causedDelayCount() {
        return delays.count();
    }

    /**
     * Returns the subscriptions whose end the broker has not confirmed, in no particular order, excluding the one to
     * the inbox.
     */
    List<Subscription> subscriptions() {
        return subscriptions.all().stream()
                .filter(subscription -> !subscription.topicFilter().isInbox())
                .toList();
    }

    /**
     * Sends a heartbeat to the broker. The worker does this automatically, except while a handler keeps it busy. A
     * handler that cannot avoid waiting should call this method about once a second. The slow policy then applies to
     * this subscriber, instead of the heartbeat timeout.
     */
    public void ping() {
        connections.current().connection().ping();
    }

    /** Returns the welcome message of the broker that accepted this subscriber most recently. */
    public Welcome broker() {
        return connections.current().welcome();
    }

    /** Returns true while this subscriber is connected. */
    public boolean isConnected() {
        return connections.current().connection().isOpen();
    }

    /**
     * Returns a future that completes when this subscriber has ended. It completes normally after {@link #close()}, and
     * exceptionally when the connection is lost and will not be replaced.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Ends all subscriptions and closes the connection. Waits until the connection has ended, except on a worker of the
     * RocketBufs, or while the connection is lost. Afterwards, no handler is called, except on an executor, where a
     * handler may be called until {@link Subscription#closed()} completes. Idempotent.
     */
    @Override
    public void close() {
        if (!subscriptions.close()) {
            return;
        }
        boolean wasLost = connections.close();
        subscriptions.all().forEach(Subscription::leave);
        connections.current().connection().close();
        if (!rocketBufs.isWorkerThread()) {
            BrokerConnection.awaitEnd(connections.current().connection());
        }
        if (wasLost) {
            end(null);
        }
    }
}
