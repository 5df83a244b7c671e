package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A subscriber to topics of one broker, which passes their messages to handlers.
 *
 * <p>A subscriber does not reconnect automatically. It would miss the messages published while it was disconnected, and
 * only the application knows how to handle that.
 *
 * <p><b>Thread-safety:</b> any thread; handlers and callbacks run on one worker. <b>Ownership:</b> owns its connection
 * and buffers, but not the RocketBufs. <b>Source:</b> RocketBufs 4.1, figure 2.
 */
public final class Subscriber implements AutoCloseable {
    private final ClientSettings settings;
    private final SubscriberCallback callback;
    private final SubscriberCounts counts = new SubscriberCounts();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Connection connection;
    private Welcome welcome;
    private RIn in;
    private PublisherBuffers buffers;

    // Guarded by this object's lock.
    private final Map<Integer, TopicSubscription> byNumber = new HashMap<>();
    private final Map<String, TopicSubscription> byTopic = new HashMap<>();
    private int lastNumber;
    private boolean closing;

    private Subscriber(ClientSettings settings, SubscriberCallback callback) {
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
        return BrokerAddresses.connect(settings.brokers(), address -> connect(rocketBufs, settings, callback, address));
    }

    /** Connects to the broker at one of its addresses. */
    static Subscriber connect(
            RocketBufs rocketBufs, ClientSettings settings, SubscriberCallback callback, InetSocketAddress address) {
        Subscriber subscriber = new Subscriber(settings, callback);
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
        buffers = new PublisherBuffers(in, settings, callback, counts);
    }

    /**
     * Subscribes to a topic like {@link #subscribe(String, MessageHandler, SlowPolicy)}, with the policy in the
     * settings.
     */
    public CompletableFuture<Void> subscribe(String topic, MessageHandler handler) {
        return subscribe(topic, handler, settings.slowPolicy());
    }

    /**
     * Subscribes to a topic, which need not have a publisher yet.
     *
     * @param policy policy that the broker applies when this subscriber is slow; null selects the broker's setting
     * @return a future that completes when the subscription is live, after which it misses no messages; fails with a
     *     TransportException when the broker refuses the subscription or the connection is lost
     * @throws IllegalArgumentException when the name is invalid; a topic's name has 1 to 255 bytes of UTF-8, contains
     *     neither control characters nor {@code +} nor {@code #}, and does not begin with {@code $}
     * @throws IllegalStateException when the topic is already subscribed to, or this subscriber is closed
     */
    public CompletableFuture<Void> subscribe(String topic, MessageHandler handler, SlowPolicy policy) {
        Objects.requireNonNull(handler, "handler");
        TopicSubscription subscription;
        ByteBuffer request;
        synchronized (this) {
            if (closing) {
                throw new IllegalStateException("this subscriber is closed");
            }
            if (byTopic.containsKey(topic)) {
                throw new IllegalStateException("topic=" + topic + " is already subscribed to");
            }
            request = TopicLayout.write(lastNumber + 1, policy, topic);
            subscription = new TopicSubscription(++lastNumber, topic, handler, policy);
            byNumber.put(subscription.number(), subscription);
            byTopic.put(topic, subscription);
        }
        send(subscription, request);
        return subscription.live();
    }

    /**
     * Unsubscribes from a topic. The topic can be subscribed to again immediately. If the handler itself calls this
     * method, it receives no more messages. If another thread does, the handler may still be called until the future
     * completes.
     *
     * @throws IllegalStateException when the topic is not subscribed to
     */
    public CompletableFuture<Void> unsubscribe(String topic) {
        TopicSubscription subscription;
        synchronized (this) {
            subscription = byTopic.remove(topic);
        }
        if (subscription == null) {
            throw new IllegalStateException("topic=" + topic + " is not subscribed to");
        }
        subscription.leave();
        send(subscription, NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, subscription.number(), ""));
        return subscription.gone();
    }

    private void send(TopicSubscription subscription, ByteBuffer request) {
        try {
            connection.sendControlMessage(request);
        } catch (TransportException e) {
            forget(subscription);
            subscription.end(e);
        }
    }

    // Messages from the broker, handled on the worker.

    private void onMessage(RbmqType type, ByteBuffer message) {
        TopicSubscription subscription = subscription(NoticeLayout.subscription(message));
        switch (type) {
            case BUFFERS_ADDED -> {
                for (int i = 0; i < BuffersLayout.count(message); i++) {
                    buffers.add(subscription, BuffersLayout.entry(message, i));
                }
            }
            case BUFFER_REMOVED -> buffers.onRemoved(NoticeLayout.bufferId(message), NoticeLayout.text(message));
            case TOPIC_LISTED -> subscription.onListed();
            case TOPIC_UNSUBSCRIBED -> onUnsubscribed(subscription);
            case TOPIC_REFUSED -> onRefused(subscription, NoticeLayout.text(message));
            default -> throw RbmqLayout.violation("the broker sent " + type + " to a subscriber");
        }
    }

    private synchronized TopicSubscription subscription(int number) {
        TopicSubscription subscription = byNumber.get(number);
        if (subscription == null) {
            throw RbmqLayout.violation("the broker sent a message about unknown subscription " + number);
        }
        return subscription;
    }

    private void onUnsubscribed(TopicSubscription subscription) {
        forget(subscription);
        buffers.giveUp(subscription);
        subscription.gone().complete(null);
    }

    private void onRefused(TopicSubscription subscription, String reason) {
        forget(subscription);
        subscription.end(new TransportException(
                TransportException.Code.REFUSED,
                "the broker refused the subscription to \"" + subscription.topic() + "\": " + reason));
    }

    private synchronized void forget(TopicSubscription subscription) {
        byNumber.remove(subscription.number());
        byTopic.remove(subscription.topic(), subscription);
    }

    private void onClosed(Throwable failure) {
        if (in != null) {
            in.close();
        }
        TransportException cause = failure instanceof TransportException known
                ? known
                : new TransportException(TransportException.Code.CLOSED, "the connection to the broker is closed");
        List<TopicSubscription> left;
        boolean wished;
        synchronized (this) {
            wished = closing;
            left = new ArrayList<>(byNumber.values());
        }
        left.forEach(subscription -> subscription.end(cause));
        BrokerConnection.complete(closed, failure, wished);
    }

    // Counters.

    /** Returns the number of messages handled, including those whose handler threw; updated once per transfer. */
    public long receivedCount() {
        return counts.receivedCount();
    }

    /** Returns the total length of the messages handled in bytes, without their headers. */
    public long receivedLength() {
        return counts.receivedLength();
    }

    /** Returns the number of bytes skipped, including headers. */
    public long lostLength() {
        return counts.lostLength();
    }

    /**
     * Returns the number of publishers' buffers that this subscriber unsubscribed from because a frame was malformed.
     */
    public long malformedCount() {
        return counts.malformedCount();
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return counts.failedCount();
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
     * Unsubscribes from all topics and closes; waits until the connection has ended, except on its worker. No handler
     * is called after that. Idempotent.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            byNumber.values().forEach(TopicSubscription::leave);
        }
        connection.close();
        if (!connection.isWorkerThread()) {
            BrokerConnection.awaitEnd(connection);
        }
    }
}
