package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicName;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A publisher of messages to topics of one broker.
 *
 * <p>Each topic has its own buffer, which holds messages until the broker has subscribed to it. A publisher does not
 * reconnect automatically. Messages that were not confirmed may have been lost, and only the application knows how to
 * handle that.
 *
 * <p><b>Thread-safety:</b> any thread; several threads may publish to the same topic. <b>Ownership:</b> owns its
 * connection and buffers, but not the RocketBufs. <b>Source:</b> RocketBufs 4.1, figure 2.
 */
public final class Publisher implements AutoCloseable {
    private final ROut out;
    private final ClientSettings settings;
    /** Null if the application has no callback. */
    private final PublisherCallback callback;

    private final Map<String, TopicPublisher> topics = new ConcurrentHashMap<>();
    /** The outputs of the topics, and of inboxes, which are forgotten when they have ended. */
    private final TopicOutputs outputs = new TopicOutputs();

    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Connection connection;
    private Welcome welcome;
    private boolean released;
    private volatile boolean closing;

    private Publisher(RocketBufs rocketBufs, ClientSettings settings, PublisherCallback callback) {
        this.out = new ROut(rocketBufs);
        this.settings = settings;
        this.callback = callback;
        out.setSpaceCallback(this::onSpace);
    }

    /**
     * Connects to the broker in the settings, at the first of its addresses that accepts the connection; blocks until
     * then.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Publisher connect(RocketBufs rocketBufs, ClientSettings settings) {
        BrokerConnection.checkMayWait(rocketBufs);
        return BrokerAddresses.connect(settings.brokers(), address -> open(rocketBufs, settings, address, null));
    }

    /**
     * Connects like {@link #connect(RocketBufs, ClientSettings)}, with a callback for the conditions of topics.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Publisher connect(RocketBufs rocketBufs, ClientSettings settings, PublisherCallback callback) {
        Objects.requireNonNull(callback, "callback");
        BrokerConnection.checkMayWait(rocketBufs);
        return BrokerAddresses.connect(settings.brokers(), address -> open(rocketBufs, settings, address, callback));
    }

    /** Connects to the broker at one of its addresses; the callback may be null. */
    static Publisher open(
            RocketBufs rocketBufs, ClientSettings settings, InetSocketAddress address, PublisherCallback callback) {
        Publisher publisher = new Publisher(rocketBufs, settings, callback);
        try {
            publisher.welcome = BrokerConnection.open(
                    rocketBufs,
                    settings,
                    address,
                    Role.PUBLISHER,
                    publisher::attach,
                    publisher::onMessage,
                    publisher::onClosed);
        } catch (RuntimeException e) {
            publisher.out.close();
            throw e;
        }
        return publisher;
    }

    /**
     * Called on the worker before the broker's first message; the connecting thread sees the fields because it waits
     * for a future that the worker completes afterwards.
     */
    private void attach(Connection established) {
        connection = established;
        out.addConnection(established);
    }

    private void onMessage(RbmqType type, ByteBuffer message) {
        switch (type) {
            case ANNOUNCED -> outputs.get(type, NoticeLayout.bufferId(message)).ifPresent(TopicOutput::onAnnounced);
            case ANNOUNCE_REFUSED ->
                outputs.get(type, NoticeLayout.bufferId(message))
                        .ifPresent(output -> output.onRefused(NoticeLayout.text(message)));
            case INTEREST ->
                outputs.get(type, InterestLayout.bufferId(message))
                        .ifPresent(output -> onInterest(output, Interest.of(InterestLayout.subscriberCount(message))));
            default -> throw RbmqLayout.violation("the broker sent " + type + " to a publisher");
        }
    }

    private void onSpace(int bufferId) {
        TopicOutput output = outputs.get(bufferId);
        if (output != null) {
            output.onSpace();
        }
    }

    private void onInterest(TopicOutput output, Interest interest) {
        if (output.onInterest(interest)) {
            output.tellInterest();
            if (callback != null && !InboxName.is(output.topic())) {
                callback.onInterest(output.topic(), output.hasSubscribers());
            }
        }
    }

    private void onClosed(Throwable failure) {
        BrokerConnection.complete(closed, withUnconfirmed(failure), closing);
        // This must follow the completion of the future, because a concurrent announce() checks the future last.
        outputs.all().forEach(output -> output.end(PublishResult.NOT_CONNECTED));
        releaseWhenUnused();
    }

    /** Adds the number of messages that the broker has not confirmed, because they may or may not have arrived. */
    private Throwable withUnconfirmed(Throwable failure) {
        long unconfirmed = unconfirmedCount();
        return unconfirmed > 0 && failure instanceof TransportException known
                ? known.withMessage(known.getMessage() + "; " + unconfirmed + " of " + publishedCount()
                        + " messages were not confirmed by the broker")
                : failure;
    }

    /** Closes the ROut when the connection has ended and no caller is still writing into a buffer. */
    private synchronized void releaseWhenUnused() {
        if (!released && closed.isDone() && outputs.all().stream().noneMatch(TopicOutput::hasBuffer)) {
            released = true;
            out.close();
        }
    }

    /**
     * Announces a topic to the broker. Returns without waiting, and the caller can publish right away. Further calls
     * for the same topic return the same handle.
     *
     * @throws IllegalArgumentException when the name is invalid; a topic's name has 1 to 255 bytes of UTF-8, contains
     *     neither control characters nor {@code +} nor {@code #}, and does not begin with {@code $}
     * @throws IllegalStateException when this publisher is closed
     * @throws TransportException with code RESOURCES when too many control messages wait; a later call may succeed
     */
    public TopicPublisher topic(String topic) {
        TopicPublisher known = topics.get(topic);
        return known != null ? known : announce(topic);
    }

    private synchronized TopicPublisher announce(String topic) {
        if (closing) {
            throw new IllegalStateException("this publisher is closed");
        }
        TopicPublisher known = topics.get(topic);
        if (known != null) {
            return known;
        }
        TopicName.encode(topic);
        TopicPublisher made = open(topic, settings, spaceOf(topic), null, bufferId -> releaseWhenUnused());
        // Last, because from now on other threads publish without waiting for this one.
        topics.put(topic, made);
        if (closed.isDone()) {
            made.output().end(PublishResult.NOT_CONNECTED);
        }
        return made;
    }

    /**
     * Creates a buffer and announces its topic.
     *
     * @param interestListener null for none
     * @param onRemoved called without locks when the topic has ended and its buffer is removed
     */
    private TopicPublisher open(
            String topic,
            ClientSettings its,
            SpaceSignal space,
            Consumer<Boolean> interestListener,
            IntConsumer onRemoved) {
        int bufferId = outputs.nextId();
        TopicOutput output =
                new TopicOutput(topic, bufferId, out, connection, its, space, () -> onRemoved.accept(bufferId));
        outputs.put(bufferId, output);
        if (interestListener != null) {
            output.listen(interestListener);
        }
        if (!released) {
            try {
                output.announce();
            } catch (RuntimeException | Error e) {
                outputs.remove(bufferId);
                throw e;
            }
        }
        return new TopicPublisher(output);
    }

    // For requests and replies.

    /**
     * Announces a requester's inbox. Its buffer has the capacity of replies, and always flow control. When the returned
     * publisher is closed, the inbox is forgotten and can be announced again.
     *
     * @param onBackPressure like {@link PublisherCallback#onBackPressure}
     * @param onInterest called on the worker with true when the requester subscribes to its inbox, and with false when
     *     it has left
     * @return null when this publisher is closed, or its connection is lost
     * @throws TransportException when too many control messages wait
     */
    synchronized TopicPublisher inbox(
            String inbox, BackPressure.Listener onBackPressure, Consumer<Boolean> onInterest) {
        if (closing || !connection.isOpen()) {
            return null;
        }
        long capacity = settings.replies().capacity();
        ClientSettings its = settings.withCapacities(capacity, capacity)
                .withFlowControl(true)
                .withWhenUnheard(WhenUnheard.SEND);
        SpaceSignal space = new SpaceSignal(new BackPressure(connection::execute, onBackPressure));
        TopicPublisher made = open(inbox, its, space, onInterest, this::forget);
        if (closed.isDone()) {
            made.output().end(PublishResult.NOT_CONNECTED);
        }
        return made;
    }

    /** Forgets the buffer of an inbox, which has ended, except for its counters. */
    private void forget(int bufferId) {
        outputs.forget(bufferId);
        releaseWhenUnused();
    }

    /** Sets the library's own receiver of the changes that {@link PublisherCallback#onInterest} reports for a topic. */
    void onInterest(TopicPublisher topic, Consumer<Boolean> listener) {
        topic.output().listen(listener);
    }

    /**
     * Flushes one topic. The future completes on the worker, after the broker's messages that preceded the confirmation
     * were handled. It completes normally even if the topic has ended.
     */
    CompletableFuture<Void> flush(TopicPublisher topic) {
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        topic.output().flush().whenComplete((nothing, failure) -> connection.execute(() -> flushed.complete(null)));
        return flushed;
    }

    /** Runs a task on the connection's worker; see {@link Connection#execute}. */
    void execute(Runnable task) {
        connection.execute(task);
    }

    ClientSettings settings() {
        return settings;
    }

    /** Returns true from the beginning of {@link #close()}. */
    boolean isClosing() {
        return closing;
    }

    /** Returns the signal of a topic's space, which reports back-pressure only to an application that wants to know. */
    private SpaceSignal spaceOf(String topic) {
        return new SpaceSignal(
                callback == null
                        ? null
                        : new BackPressure(connection::execute, on -> callback.onBackPressure(topic, on)));
    }

    /** Publishes a message to a topic with {@link TopicPublisher#publish(byte[])}; announces the topic if necessary. */
    public PublishResult publish(String topic, byte[] message) {
        return topic(topic).publish(message);
    }

    /**
     * Publishes a message to a topic with {@link TopicPublisher#publish(ByteBuffer)}; announces the topic if necessary.
     */
    public PublishResult publish(String topic, ByteBuffer message) {
        return topic(topic).publish(message);
    }

    /** Tries to publish a message with {@link TopicPublisher#tryPublish(byte[])}; announces the topic if necessary. */
    public PublishResult tryPublish(String topic, byte[] message) {
        return topic(topic).tryPublish(message);
    }

    /**
     * Asks the broker to report when it has consumed everything published so far on all topics. Does not block, and may
     * be called on a worker. The broker consumes a message by sending it to every subscriber, or by discarding it if
     * there is none. Without flow control, the broker confirms nothing, and the future completes when it has accepted
     * the topics.
     *
     * @return a future that completes on the connection's worker, or is complete already if nothing is unconfirmed.
     *     When the connection has ended, it may complete on any thread that uses this publisher. It fails with a
     *     TransportException when the broker has consumed what it could, but a topic was refused (code REFUSED, with
     *     the broker's reason), or the connection ended (with the reason, as {@link #closed()} reports it; code CLOSED
     *     after {@link #close()})
     */
    public CompletableFuture<Void> flush() {
        CompletableFuture<Void> consumed = consumed();
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        if (consumed.isDone()) {
            settle(flushed, consumed);
        } else {
            // The thread that detects the consumption may hold the locks of topics, which the caller's code must not
            // run under. The worker runs the task, because it outlives the connection.
            consumed.whenComplete((nothing, failure) -> {
                if (closed.isDone()) {
                    settle(flushed, consumed);
                } else {
                    connection.execute(() -> settle(flushed, consumed));
                }
            });
        }
        return flushed;
    }

    /** Returns a future that completes on any thread when the broker has consumed what it could of all topics. */
    private CompletableFuture<Void> consumed() {
        return CompletableFuture.allOf(
                outputs.all().stream().map(TopicOutput::flush).toArray(CompletableFuture<?>[]::new));
    }

    private void settle(CompletableFuture<Void> flushed, CompletableFuture<Void> consumed) {
        consumed.whenComplete((nothing, failure) -> {
            if (failure == null) {
                flushed.complete(null);
            } else if (connection.isOpen() && !closing) {
                flushed.completeExceptionally(failureOfFlush(failure));
            } else {
                closed.whenComplete((ended, reason) -> flushed.completeExceptionally(
                        reason == null
                                ? new TransportException(TransportException.Code.CLOSED, closedText())
                                : failureOfFlush(reason)));
            }
        });
    }

    private String closedText() {
        return "the publisher was closed; " + unconfirmedCount() + " of " + publishedCount()
                + " messages were not confirmed by the broker";
    }

    private static TransportException failureOfFlush(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof TransportException known
                ? known
                : new TransportException(TransportException.Code.CLOSED, Reason.of(cause), cause);
    }

    /**
     * Waits until the broker has consumed everything published so far, like {@link #flush()}, for a program that only
     * needs to know whether it has.
     *
     * @return false when {@code timeoutMs} milliseconds have passed, the connection is lost, a topic was refused, or
     *     the thread is interrupted, which sets its interrupt status
     * @throws IllegalStateException on a worker of the RocketBufs
     */
    public boolean flush(long timeoutMs) {
        if (out.rocketBufs().isWorkerThread()) {
            throw new IllegalStateException("a worker must not wait for a flush; flush() returns a future");
        }
        try {
            // flush() would wait for the end of the connection to state a reason, even while close() calls this.
            consumed().get(timeoutMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /**
     * Returns the number of published messages that the broker has not confirmed as consumed. The broker confirms at
     * intervals and at each flush, so the number may be too high between confirmations. Without flow control it is 0.
     */
    public long unconfirmedCount() {
        return outputs.sum(TopicOutput::unconfirmedCount, TopicOutputs.Forgotten::unconfirmedCount);
    }

    /**
     * Returns the number of bytes, including headers, that the broker has not confirmed as consumed; 0 without flow
     * control.
     */
    public long unconfirmedLength() {
        return outputs.sum(TopicOutput::unconfirmedLength, TopicOutputs.Forgotten::unconfirmedLength);
    }

    /**
     * Returns the number of published messages that the broker has confirmed as consumed; 0 without flow control.
     * Between confirmations, it may be too low, just as {@link #unconfirmedCount()} may be too high.
     */
    public long confirmedCount() {
        return settings.flowControl() ? publishedCount() - unconfirmedCount() : 0;
    }

    /** Returns the number of messages dropped because their topic had no subscribers; see {@link WhenUnheard#DROP}. */
    public long unheardCount() {
        return outputs.sum(TopicOutput::unheardCount, none -> 0);
    }

    /** Returns the number of messages published, including requests and replies. */
    public long publishedCount() {
        return outputs.sum(TopicOutput::publishedCount, TopicOutputs.Forgotten::publishedCount);
    }

    /** Returns the total length of the messages published in bytes, without their headers. */
    public long publishedLength() {
        return outputs.sum(TopicOutput::publishedLength, TopicOutputs.Forgotten::publishedLength);
    }

    /** Returns all topics that have been announced, in no particular order; inboxes are not among them. */
    Collection<TopicPublisher> topics() {
        return topics.values();
    }

    /** Returns the broker's introduction, which it sent when it accepted the connection. */
    public Welcome broker() {
        return welcome;
    }

    /** Returns true until the connection is lost or closed. */
    public boolean isConnected() {
        return connection.isOpen();
    }

    /**
     * Returns a future that completes when the connection has ended: normally after close, otherwise exceptionally. The
     * failure's message states how many messages the broker had not confirmed. A broker that closes the connection
     * gracefully first confirms what it has consumed.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Flushes for at most the drain timeout in the settings, and closes gracefully. After that,
     * {@link #unconfirmedCount()} returns the number of messages that were not confirmed. When called on a worker of
     * the RocketBufs, this method neither flushes nor waits. Idempotent.
     */
    @Override
    public void close() {
        close(settings.drainTimeoutMs());
    }

    /** Closes like {@link #close()}, but flushes for at most {@code drainTimeoutMs}. */
    void close(long drainTimeoutMs) {
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
        }
        boolean mayWait = !out.rocketBufs().isWorkerThread();
        if (mayWait) {
            flush(drainTimeoutMs);
        }
        topics.values().forEach(TopicPublisher::close);
        connection.close();
        if (mayWait) {
            BrokerConnection.awaitEnd(connection);
        }
    }
}
