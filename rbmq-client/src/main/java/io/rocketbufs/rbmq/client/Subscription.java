package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rocketnet.TransportException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * A subscription of one handler to a topic, or to all topics that match a filter, from the request to its end.
 *
 * <pre>
 *   ASKED ---every buffer is subscribed to---&gt; LIVE ---close()---&gt; CLOSING
 *     |  |                                      |                     |
 *     |  +----------------close()---------------|--------------------&gt;| the broker has confirmed,
 *     |                                         |                     | or the connection is lost
 *     |                                         |                     v
 *     +---refused, or the Subscriber has ended--+-----------------&gt; ENDED
 * </pre>
 *
 * In ASKED, {@link #ready()} is pending; in LIVE, it has completed. In both states, messages are handed over as they
 * arrive, and the subscription can be paused. It also holds messages back while its executor or its consumer is too
 * slow. A subscriber that reconnects requests its subscriptions again. Until then, they keep their state and the
 * messages in their executor's queue, because a LIVE subscription receives or reports every message.
 *
 * <p>The subscriptions of one {@link Subscriber} that match the same topic share the buffers in which its messages
 * arrive. While one of them is paused, none of them receives messages of that topic.
 *
 * <p><b>Thread-safety:</b> any thread, including the handler's. <b>Ownership:</b> belongs to its Subscriber and ends
 * with it.
 */
public final class Subscription implements AutoCloseable {
    private enum Life {
        ASKED,
        LIVE,
        CLOSING,
        ENDED
    }

    /** A reason to hold messages back. */
    private enum Hold {
        /** The application has paused the subscription. */
        PAUSED,
        /** Too many messages wait for the executor. */
        FULL,
        /** The consumer of the flow has no outstanding request. */
        NO_DEMAND
    }

    private final int number;
    private final TopicFilter filter;
    private final GapHandler gapHandler;
    private final SlowPolicy policy;
    private final SubscriptionOptions options;
    private final SubscriptionOwner<Subscription> owner;
    private final ExecutorQueue queue; // null without an executor
    private final SubscriptionCounts counts = new SubscriptionCounts();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    // Changed under this object's lock.
    private volatile Life life = Life.ASKED;
    private final Set<Hold> holds = EnumSet.noneOf(Hold.class);
    /** True from the request to the owner to resume until the owner has resumed. */
    private boolean resuming;
    /** True while messages may be handed over: there is no reason to hold them back, and the subscription is open. */
    private volatile boolean taking = true;
    /** The reason why the subscription has ended; null if the application has closed it. */
    private volatile TransportException failure;

    /** May change only until the subscription is requested. */
    private MessageHandler handler;
    /** Lets the owner read waiting messages. A single object, because a slow consumer needs it for every message. */
    private final Runnable reading;
    /** Used only by the worker once the subscription is in the subscriber's list. */
    private SubscriptionRequest<PublisherBuffer> request;

    /**
     * Creates a subscription that has not been requested yet.
     *
     * @param number the subscription's number in messages to and from the broker
     * @param policy the slow policy; null leaves the choice to the broker
     * @param broker id of the first broker to receive the request
     */
    Subscription(
            int number,
            TopicFilter filter,
            MessageHandler handler,
            SubscriptionOptions options,
            SlowPolicy policy,
            long broker,
            SubscriptionOwner<Subscription> owner) {
        this.number = number;
        this.filter = filter;
        this.queue = options.executor() == null
                ? null
                : new ExecutorQueue(
                        options.executor(), options.queueCapacity(), handler, options.gapHandler(), new QueueOwner());
        this.handler = queue == null ? handler : queue;
        this.gapHandler = queue == null ? options.gapHandler() : queue;
        this.policy = policy;
        this.options = options;
        this.owner = owner;
        this.reading = () -> owner.onReading(this);
        this.request = SubscriptionRequest.first(filter.isWildcard(), broker);
    }

    /** Handles the events of the queue. */
    private final class QueueOwner implements ExecutorQueue.Owner {
        @Override
        public void onFull() {
            hold(Hold.FULL);
        }

        @Override
        public void onSpace() {
            release(Hold.FULL);
        }

        @Override
        public void onFailure(String topic, int publisher, Throwable thrown) {
            counts.failed();
            owner.onFailure(Subscription.this, topic, publisher, thrown);
        }

        @Override
        public void onFatal(Throwable thrown) {
            owner.onFatal(thrown);
        }

        @Override
        public void onLost(long length) {
            counts.lost(length);
        }

        @Override
        public void onRejected() {
            owner.onRejected(Subscription.this);
        }
    }

    /** Limits delivery to a consumer's demand. Must be called before the subscription is requested. */
    void limitBy(Demand demand) {
        handler = demand.limit(handler, new Demand.Gate() {
            @Override
            public void close() {
                hold(Hold.NO_DEMAND);
            }

            @Override
            public void open() {
                release(Hold.NO_DEMAND);
            }
        });
    }

    /** Returns the subscribed topic or filter. */
    public String filter() {
        return filter.toString();
    }

    /**
     * Returns a future that completes when the subscription is live. The handler receives every message published after
     * that, except for publishers whose buffer could not be subscribed to, which {@code onError} reports. The future
     * fails with a TransportException when the broker refuses the subscription, the connection is lost and will not be
     * replaced, or the subscription is closed first. It completes on the connection's worker, which must not wait for
     * it; it may also fail on the thread that subscribes or closes. It does not wait for messages that are older than
     * the subscription: see {@link #caughtUp()}.
     */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /**
     * Returns a future that completes when the subscription is live and has caught up. Every older message that it
     * {@linkplain SubscriptionOptions#withStart starts with} has then been handed over or reported as missing. If there
     * are several publishers, newer messages may have been handed over before that. With
     * {@link SubscriptionStart#LIVE}, the future completes together with {@link #ready()}. A paused subscription does
     * not catch up. With an executor, the future completes when the older messages are in the queue. It fails like
     * {@link #ready()}, and completes on the connection's worker, which must not wait for it.
     */
    public CompletableFuture<Void> caughtUp() {
        return caughtUp;
    }

    /**
     * Returns a future that completes when the subscription has ended and its handler is no longer called. The end
     * follows {@link #close()}, a refusal by the broker, or a connection that has ended and is not replaced. With an
     * executor, the messages in its queue have then been handled, or discarded by {@code close}. The future completes
     * on the connection's worker, on the executor, or on the thread that closes.
     *
     * <p>Fails with a RejectedExecutionException when the executor has rejected the messages in the queue, which ends
     * the subscription.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Ends the subscription; returns without waiting. If the handler itself calls this method, the handler is not
     * called again. If another thread calls it, a call of the handler may be in progress until {@link #closed()}
     * completes. The same topic or filter can be subscribed to again immediately. Idempotent.
     */
    @Override
    public void close() {
        if (leave()) {
            owner.onClose(this);
        }
    }

    /**
     * Stops handing over messages until {@link #resume()}, without losing any. If the handler itself calls this method,
     * the handler is not called again. If another thread calls it, the current call of the handler is the last one; the
     * remaining messages of the transfer wait. With an executor, the messages in its queue are still handled, so the
     * handler may be called several times after this method.
     *
     * <p>Messages that arrive during a pause wait in this program, and then in the broker until its buffer is full. The
     * broker then applies the slow policy. Under {@code BLOCK}, publishers wait. Under {@code DISCONNECT}, the
     * connection ends. Under {@code SKIP}, messages are skipped, and the gap is reported after {@link #resume()}. Under
     * {@code BLOCK} and {@code DISCONNECT}, the broker also ends the connection if it consumes nothing for
     * {@code rbmq.broker.stall-timeout} while messages wait for it. If the connection is lost during a pause, messages
     * waiting in this program are received again over the next connection if the broker still has them. Otherwise, they
     * are reported as a gap. After the subscription or its Subscriber is closed, they are neither received nor
     * reported.
     *
     * <p>Other subscriptions of this Subscriber to the same topics wait, too. A subscription made during the pause does
     * not receive the waiting messages, only those published later, unless the connection is replaced in the meantime.
     * Idempotent; has no effect on a closed subscription.
     */
    public void pause() {
        hold(Hold.PAUSED);
    }

    private synchronized void hold(Hold reason) {
        holds.add(reason);
        taking = false;
    }

    /** Resumes handing over messages, starting with the first one that has not been handed over. Idempotent. */
    public void resume() {
        release(Hold.PAUSED);
    }

    private void release(Hold reason) {
        synchronized (this) {
            if (!holds.remove(reason) || !holds.isEmpty()) {
                return;
            }
            taking = !isLeft();
            if (resuming) {
                return;
            }
            resuming = true;
        }
        owner.onResume(reading);
    }

    /** Returns true between {@link #pause()} and {@link #resume()}. */
    public synchronized boolean isPaused() {
        return holds.contains(Hold.PAUSED);
    }

    /**
     * Returns the number of messages handed over, including messages whose handler threw. Updated once per transfer.
     * With an executor, a message counts when it is added to the queue.
     */
    public long receivedCount() {
        return counts.receivedCount();
    }

    /** Returns the total length in bytes of the messages handed over, excluding their headers. */
    public long receivedLength() {
        return counts.receivedLength();
    }

    /** Returns the number of bytes missed, including headers, in all gaps of known length. */
    public long lostLength() {
        return counts.lostLength();
    }

    /** Returns the number of gaps whose length is {@link Gap#UNKNOWN}. */
    public long unknownGapCount() {
        return counts.unknownGapCount();
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return counts.failedCount();
    }

    /** Returns the number of publishers' buffers that this subscription left because a frame was malformed. */
    public long malformedCount() {
        return counts.malformedCount();
    }

    // For the Subscriber.

    int number() {
        return number;
    }

    /** Returns the policy; null leaves the choice to the broker. */
    SlowPolicy policy() {
        return policy;
    }

    SubscriptionStart start() {
        return options.start();
    }

    /** Returns the group that shares the messages; null if there is none. */
    String group() {
        return options.group();
    }

    TopicFilter topicFilter() {
        return filter;
    }

    MessageHandler handler() {
        return handler;
    }

    SubscriptionCounts counts() {
        return counts;
    }

    /** Returns the reason why the subscription has ended; null before that, and if the application has closed it. */
    TransportException failure() {
        return failure;
    }

    /** Returns true while messages may be handed over. */
    boolean isTaking() {
        return taking;
    }

    /** Returns true if the handler must not be called again. */
    boolean isLeft() {
        return life.compareTo(Life.CLOSING) >= 0;
    }

    /** Stops handing over messages permanently; returns false if it has already stopped. */
    boolean leave() {
        if (queue != null && queue.rejection() == null) {
            queue.discard(); // including messages added before the connection was lost
        }
        synchronized (this) {
            if (isLeft()) {
                return false;
            }
            life = Life.CLOSING;
            taking = false;
        }
        failReady(new TransportException(
                TransportException.Code.CLOSED, "the subscription to \"" + filter + "\" was closed"));
        return true;
    }

    /** Ends a subscription that {@link #leave()} has stopped. */
    void end() {
        if (stop(null)) {
            finish();
        }
    }

    /** Ends the subscription; {@link #ready()} fails unless it has completed. Only the first failure counts. */
    void fail(TransportException cause) {
        if (stop(cause)) {
            failReady(cause);
            finish();
        }
    }

    private void failReady(TransportException cause) {
        ready.completeExceptionally(cause);
        caughtUp.completeExceptionally(cause);
    }

    /** Ends the subscription; returns false if it has ended already. */
    private synchronized boolean stop(TransportException cause) {
        if (life == Life.ENDED) {
            return false;
        }
        failure = isLeft() ? null : cause;
        life = Life.ENDED;
        taking = false;
        return true;
    }

    private void finish() {
        if (queue == null) {
            closed.complete(null);
        } else {
            queue.end(() -> {
                RejectedExecutionException rejection = rejection();
                if (rejection == null) {
                    closed.complete(null);
                } else {
                    closed.completeExceptionally(rejection);
                }
            });
        }
    }

    /**
     * Returns the exception with which the executor's rejection ends this subscription; null if the executor has not
     * rejected it, or if the application closed the subscription first.
     */
    RejectedExecutionException rejection() {
        RejectedExecutionException cause = queue.rejection();
        return cause == null
                ? null
                : new RejectedExecutionException(
                        "the executor of the subscription to \"" + filter
                                + "\" rejected its task, so the subscription ends; " + queue.lostCount()
                                + " messages are lost",
                        cause);
    }

    // On the worker.

    /** Called before the waiting messages are read. */
    synchronized void onResumed() {
        resuming = false;
    }

    /** Returns the request over the current connection. */
    SubscriptionRequest<PublisherBuffer> request() {
        return request;
    }

    /**
     * Called before this subscription is requested again, from the same broker or another one.
     *
     * @return true if the subscription is live, in which case messages missed in the meantime must be reported to it
     */
    boolean requestAgain(long broker) {
        request = request.next(broker);
        return life == Life.LIVE;
    }

    /** Called when the connection is lost. */
    void onConnectionLost() {
        request = request.lost();
    }

    /** Called when subscribing to a buffer has succeeded or failed. */
    void settled() {
        if (request.settled()) {
            completeWhenLive();
        }
    }

    /** Called when the broker has accepted the subscription. Returns true if the broker must now be asked to end it. */
    boolean onListed() {
        if (request.onListed()) {
            completeWhenLive();
        }
        return request.mustEnd();
    }

    /** Called when this subscription has missed messages. */
    void miss(Gap gap) {
        counts.missed(gap);
        if (!isLeft()) {
            gapHandler.onGap(gap);
        }
    }

    /** Called when all messages in a buffer that are older than this subscription have been read. */
    void onOlderRead(PublisherBuffer buffer) {
        if (request.older().remove(buffer) && request.isCaughtUp()) {
            caughtUp.complete(null);
        }
    }

    private void completeWhenLive() {
        if (goLive()) {
            ready.complete(null);
        }
        if (request.isCaughtUp()) {
            caughtUp.complete(null);
        }
    }

    /** Returns false if the subscription was already live, or is closed. */
    private synchronized boolean goLive() {
        boolean isNew = life == Life.ASKED;
        if (isNew) {
            life = Life.LIVE;
        }
        return isNew;
    }
}
