package io.rocketbufs.rbmq.client;

import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A publisher of messages to topics of one broker.
 *
 * <p>Each topic has its own buffer, which holds messages until the broker has subscribed to it. A publisher that loses
 * its connection reconnects, unless {@link ReconnectSettings#enabled()} is false, and announces its topics again.
 * {@link Unconfirmed} describes what happens to messages that were not confirmed.
 *
 * <p><b>Thread-safety:</b> any thread; several threads may publish to the same topic. <b>Ownership:</b> owns its
 * connection and buffers, but not the RocketBufs. <b>Source:</b> RocketBufs 4.1, figure 2.
 */
public final class Publisher implements AutoCloseable {
    private final RocketBufs rocketBufs;
    private final ROut out;
    private final ClientSettings settings;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Reconnect<BrokerLink> connections;
    private final PublisherTopics topics;
    private volatile boolean closing;

    private Publisher(
            RocketBufs rocketBufs, ClientSettings settings, PublisherCallback callback, SameBroker sameBroker) {
        this.rocketBufs = rocketBufs;
        this.out = new ROut(rocketBufs);
        this.settings = settings;
        ReconnectCallback known = callback == null ? new ReconnectCallback() {} : callback;
        this.connections =
                new Reconnect<>(Role.PUBLISHER, settings, rocketBufs.automatic(), sameBroker, known, new Life());
        this.topics = new PublisherTopics(out, settings, callback, connections.worker(), closed::isDone);
    }

    /**
     * Connects to the broker in the settings, trying the broker's addresses in order. Blocks until one of them accepts
     * the connection.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Publisher connect(RocketBufs rocketBufs, ClientSettings settings) {
        return connect(rocketBufs, settings, null, new SameBroker());
    }

    /**
     * Connects with a callback for topic events and lost connections; otherwise like {@link #connect(RocketBufs,
     * ClientSettings)}.
     *
     * @throws TransportException when the broker cannot be reached or refuses the connection
     * @throws IllegalStateException on a worker, which must not wait
     */
    public static Publisher connect(RocketBufs rocketBufs, ClientSettings settings, PublisherCallback callback) {
        return connect(rocketBufs, settings, Objects.requireNonNull(callback, "callback"), new SameBroker());
    }

    /** Connects to the broker that the client's other connection may already use; the callback may be null. */
    static Publisher connect(
            RocketBufs rocketBufs, ClientSettings settings, PublisherCallback callback, SameBroker sameBroker) {
        BrokerConnection.checkMayWait(rocketBufs);
        Publisher publisher = new Publisher(rocketBufs, settings, callback, sameBroker);
        try {
            publisher.connections.connect();
        } catch (RuntimeException e) {
            publisher.out.close();
            throw e;
        }
        return publisher;
    }

    /** The successive connections. */
    private final class Life implements Reconnect.Client<BrokerLink> {
        @Override
        public BrokerLink open(BrokerTarget target) {
            BrokerLink opened = new BrokerLink();
            opened.open(rocketBufs, settings, target, Role.PUBLISHER, topics::onMessage, connections::onClosed);
            return opened;
        }

        @Override
        public void onConnected(BrokerLink first) {
            topics.connect(first.connection(), first.welcome().features());
        }

        @Override
        public void onLost(BrokerLink lost) {
            topics.lose();
        }

        @Override
        public void onReplaced(BrokerLink link) {
            topics.connect(link.connection(), link.welcome().features());
        }

        @Override
        public void onEnded(BrokerLink last, Throwable failure) {
            end(failure);
        }
    }

    /** Ends all topics, because the connection will not be replaced. */
    private void end(Throwable failure) {
        BrokerConnection.complete(closed, withUnconfirmed(failure), closing);
        // This must follow the completion of the future, because a concurrent announcement checks the future last.
        topics.end();
    }

    /** Adds the number of unconfirmed messages to the failure, because these messages may or may not have arrived. */
    private Throwable withUnconfirmed(Throwable failure) {
        long unconfirmed = unconfirmedCount();
        return unconfirmed > 0 && failure instanceof TransportException known
                ? known.withMessage(known.getMessage() + "; " + unconfirmed + " of " + publishedCount()
                        + " messages were not confirmed by the broker")
                : failure;
    }

    /**
     * Announces a topic to the broker. Returns without waiting; the caller can publish immediately. Further calls for
     * the same topic return the same handle.
     *
     * @throws IllegalArgumentException when the name is invalid; a topic's name has 1 to 255 bytes of UTF-8, contains
     *     neither control characters nor {@code +} nor {@code #}, and does not begin with {@code $}
     * @throws IllegalStateException when this publisher is closed
     * @throws TransportException with code RESOURCES when too many control messages are queued; a later call may
     *     succeed
     */
    public TopicPublisher topic(String topic) {
        TopicPublisher known = topics.get(topic);
        return known != null ? known : announce(topic, TopicOptions.DEFAULTS);
    }

    /**
     * Announces a topic with options; otherwise like {@link #topic(String)}, which then returns the same handle.
     *
     * @throws IllegalStateException when this publisher is closed, or has announced the topic with other options
     */
    public TopicPublisher topic(String topic, TopicOptions options) {
        return announce(topic, options);
    }

    private synchronized TopicPublisher announce(String topic, TopicOptions options) {
        if (closing) {
            throw new IllegalStateException("this publisher is closed");
        }
        return topics.announce(topic, options);
    }

    // For requests and replies.

    /**
     * Announces a requester's inbox; see {@link PublisherTopics#announceInbox}.
     *
     * @return the handle; null when this publisher is closed or its connection is lost
     * @throws TransportException when too many control messages are queued
     */
    synchronized TopicPublisher inbox(String inbox, BackPressure.Listener onBackPressure, TopicListener listener) {
        return closing ? null : topics.announceInbox(inbox, onBackPressure, listener);
    }

    /** Sets the library's internal listener for a topic's events. */
    void listen(TopicPublisher topic, TopicListener listener) {
        topics.listen(topic, listener);
    }

    /** Adds an internal callback, which is called before the application's callback. */
    void addCallback(ReconnectCallback added) {
        connections.addCallback(added);
    }

    /**
     * Flushes one topic. The future completes on the worker, after all earlier messages from the broker have been
     * handled. It completes normally even if the topic has ended.
     */
    CompletableFuture<Void> flush(TopicPublisher topic) {
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        topic.output().flush().whenComplete((nothing, failure) -> execute(() -> flushed.complete(null)));
        return flushed;
    }

    /** Runs a task on the connection's worker; see {@link CurrentWorker#execute}. */
    void execute(Runnable task) {
        connections.worker().execute(task);
    }

    ClientSettings settings() {
        return settings;
    }

    /** Returns true as soon as {@link #close()} has been called. */
    boolean isClosing() {
        return closing;
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
     * be called on a worker. The broker has consumed a message when it has sent it to every subscriber, or has
     * discarded it because there is none. Without flow control, the broker confirms nothing, and the future completes
     * when the broker has accepted the topics.
     *
     * <p>If the connection is lost and replaced, the future completes when the messages have been sent again and
     * consumed. It fails if they are dropped.
     *
     * @return a future that completes on the connection's worker, or is already complete if nothing is unconfirmed.
     *     After the connection has ended, the future may complete on any thread that uses this publisher. The future
     *     fails with a TransportException if a topic was refused (code REFUSED, with the broker's reason), once the
     *     broker has consumed the other topics' messages. It also fails if the connection ends, with the reason that
     *     {@link #closed()} reports (code CLOSED after {@link #close()})
     */
    public CompletableFuture<Void> flush() {
        CompletableFuture<Void> consumed = topics.consumed();
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        if (consumed.isDone()) {
            settle(flushed, consumed);
        } else {
            // The thread that detects the consumption may hold locks of topics, and the caller's code must not run
            // under them. The worker runs the task, because the worker outlives the connection.
            consumed.whenComplete((nothing, failure) -> {
                if (closed.isDone()) {
                    settle(flushed, consumed);
                } else {
                    execute(() -> settle(flushed, consumed));
                }
            });
        }
        return flushed;
    }

    private void settle(CompletableFuture<Void> flushed, CompletableFuture<Void> consumed) {
        consumed.whenComplete((nothing, failure) -> {
            if (failure == null) {
                flushed.complete(null);
            } else if (!closing && (isConnected() || !connections.isEnding())) {
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
     * Waits until the broker has consumed everything published so far, like {@link #flush()}, but does not report the
     * cause of a failure.
     *
     * @return true if the broker has consumed everything; false if {@code timeoutMs} milliseconds have passed, the
     *     connection is lost, a topic was refused, or the thread is interrupted, in which case its interrupt status is
     *     set
     * @throws IllegalStateException on a worker of the RocketBufs
     */
    public boolean flush(long timeoutMs) {
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException("a worker must not wait for a flush; flush() returns a future");
        }
        try {
            // To report a reason, flush() waits for the connection to end, and close() calls this method before that.
            topics.consumed().get(timeoutMs, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /**
     * Returns the number of published messages that the broker has not confirmed as consumed; 0 without flow control.
     * The broker confirms periodically and at each flush, so the number may be too high between confirmations.
     */
    public long unconfirmedCount() {
        return topics.counts().unconfirmedCount();
    }

    /**
     * Returns the number of bytes, including headers, that the broker has not confirmed as consumed; 0 without flow
     * control.
     */
    public long unconfirmedLength() {
        return topics.counts().unconfirmedLength();
    }

    /**
     * Returns the number of published messages that the broker has confirmed as consumed; 0 without flow control. The
     * number may be too low between confirmations, just as {@link #unconfirmedCount()} may be too high.
     */
    public long confirmedCount() {
        OutputCounts counts = topics.counts();
        return settings.flowControl() ? counts.publishedCount() - counts.droppedCount() - counts.unconfirmedCount() : 0;
    }

    /**
     * Returns the number of messages that were sent again because they had not been confirmed when the connection was
     * lost. Subscribers may have received them twice. The number may include a few confirmed messages that were sent
     * again together with unconfirmed ones.
     */
    public long resentCount() {
        return topics.counts().resentCount();
    }

    /**
     * Returns the number of messages that were dropped because they had not been confirmed when the connection was
     * lost; see {@link Unconfirmed#DROP}. The number may be too high, and some of these messages may have arrived.
     */
    public long droppedCount() {
        return topics.counts().droppedCount();
    }

    /** Returns the transport of the current or most recent connection, and the reasons why no better one is used. */
    public ChosenTransport transport() {
        return connections.current().transport();
    }

    /** Returns the number of times that a lost connection was replaced. */
    public long reconnectCount() {
        return connections.reconnectCount();
    }

    /** Returns the number of messages dropped because their topic had no subscribers; see {@link WhenUnheard#DROP}. */
    public long unheardCount() {
        return topics.counts().unheardCount();
    }

    /** Returns the number of times that subscribers started to delay this publisher, over all topics. */
    public long sufferedDelayCount() {
        return topics.sufferedDelayCount();
    }

    /** Returns the number of messages published, including requests and replies. */
    public long publishedCount() {
        return topics.counts().publishedCount();
    }

    /** Returns the total length in bytes of the messages published, excluding their headers. */
    public long publishedLength() {
        return topics.counts().publishedLength();
    }

    /** Returns all topics that have been announced, in no particular order, excluding inboxes. */
    Collection<TopicPublisher> topics() {
        return topics.all();
    }

    /** Returns the welcome message of the broker that accepted this publisher most recently. */
    public Welcome broker() {
        return connections.current().welcome();
    }

    /** Returns true while this publisher is connected. */
    public boolean isConnected() {
        return connections.current().connection().isOpen();
    }

    /**
     * Returns a future that completes when this publisher has ended. It completes normally after {@link #close()}, and
     * exceptionally when the connection is lost and will not be replaced. The failure's message states how many
     * messages the broker had not confirmed. A broker that closes the connection gracefully first confirms the messages
     * that it has consumed.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Flushes for at most the drain timeout in the settings, then closes gracefully. Afterwards,
     * {@link #unconfirmedCount()} returns the number of messages that were not confirmed. On a worker of the
     * RocketBufs, or while the connection is lost, this method neither flushes nor waits. Idempotent.
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
        boolean wasLost = connections.close();
        boolean mayWait = !rocketBufs.isWorkerThread();
        if (!wasLost) {
            if (mayWait) {
                flush(drainTimeoutMs);
            }
            topics.all().forEach(TopicPublisher::close);
        }
        connections.current().connection().close();
        if (mayWait) {
            BrokerConnection.awaitEnd(connections.current().connection());
        }
        if (wasLost) {
            end(null);
        }
    }
}
