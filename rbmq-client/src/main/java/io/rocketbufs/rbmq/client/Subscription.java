package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rocketnet.TransportException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.concurrent.CompletableFuture;

/**
 * A subscription of one handler to a topic, or to all topics that match a filter, from the request to its end.
 *
 * <pre>
 *   ASKED ---every buffer is subscribed to---&gt; LIVE ---close()---&gt; CLOSING
 *     |  |                                      |                     |
 *     |  +----------------close()---------------|--------------------&gt;|
 *     |                                         |                     | the broker has confirmed
 *     |                                         |                     v
 *     +---refused, or the connection has ended--+-----------------&gt; ENDED
 * </pre>
 *
 * In ASKED, {@link #ready()} is pending; in LIVE, it has completed. In both, messages are handed over as they arrive,
 * and the subscription can be paused.
 *
 * <p>The subscriptions of one {@link Subscriber} that match the same topic share the buffers in which its messages
 * arrive. While one of them is paused, all of them receive no messages of that topic.
 *
 * <p><b>Thread-safety:</b> any thread, including the handler. <b>Ownership:</b> belongs to its Subscriber, whose end
 * ends it.
 */
public final class Subscription implements AutoCloseable {
    private enum Life {
        ASKED,
        LIVE,
        CLOSING,
        ENDED
    }

    /** The receiver of the application's requests, which come from any thread. */
    interface Owner {
        /** Called once, when the application has closed the subscription. */
        void onClose(Subscription subscription);

        /** Called when the subscription may take messages that have waited. */
        void onResume(Subscription subscription);
    }

    private final int number;
    private final TopicFilter filter;
    private final MessageHandler handler;
    private final GapHandler gapHandler;
    private final SlowPolicy policy;
    private final Owner owner;
    private final SubscriptionCounts counts = new SubscriptionCounts();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    // Changed under this object's lock.
    private volatile Life life = Life.ASKED;
    private boolean paused;
    /** True when the owner has been asked to resume and has not done so yet. */
    private boolean resuming;
    /** True while the handler may be called: the subscription is neither paused nor closed. */
    private volatile boolean taking = true;

    // Worker only.
    private final Collection<PublisherBuffer> buffers;
    private int unsettledCount;
    private boolean listed;
    private boolean endRequested;

    /**
     * Creates a subscription that has not been requested yet.
     *
     * @param number the number that the broker uses for it
     * @param policy null leaves the choice to the broker
     */
    Subscription(
            int number,
            TopicFilter filter,
            MessageHandler handler,
            GapHandler gapHandler,
            SlowPolicy policy,
            Owner owner) {
        this.number = number;
        this.filter = filter;
        this.handler = handler;
        this.gapHandler = gapHandler;
        this.policy = policy;
        this.owner = owner;
        this.buffers = filter.isWildcard() ? new LinkedHashSet<>() : new ArrayList<>(1);
    }

    /** Returns the topic or the filter that was subscribed to. */
    public String filter() {
        return filter.toString();
    }

    /**
     * Returns a future that completes when the subscription is live: the handler receives every message published from
     * then on, except for those of a publisher whose buffer could not be subscribed to, which {@code onError} has
     * reported. Fails with a TransportException when the broker refuses the subscription, the connection is lost, or
     * the subscription is closed first. It completes on the connection's worker, which must not wait for it; it may
     * also fail on the thread that subscribes or closes.
     */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /**
     * Returns a future that completes when the subscription has ended and its handler is no longer called: after
     * {@link #close()}, when the broker has refused it, or when the connection has ended.
     */
    public CompletableFuture<Void> closed() {
        return closed;
    }

    /**
     * Ends the subscription; returns without waiting. If the handler calls this method, the handler is not called
     * again. If another thread does, a call of the handler may be in progress until {@link #closed()} completes. The
     * same topic or filter can be subscribed to again immediately. Idempotent.
     */
    @Override
    public void close() {
        if (leave()) {
            owner.onClose(this);
        }
    }

    /**
     * Stops handing over messages, without losing any, until {@link #resume()}. If the handler calls this method, it is
     * not called again. If another thread does, the call of the handler that is in progress is the last one; the rest
     * of the transfer waits.
     *
     * <p>Messages that arrive while the subscription is paused wait in this program, and then in the broker until its
     * buffer is full. After that, the broker applies the policy for slow subscribers: under {@code BLOCK} the
     * publishers wait, under {@code DISCONNECT} the connection ends, and under {@code SKIP} messages are skipped and
     * the gap is reported after {@link #resume()}. Under {@code BLOCK} and {@code DISCONNECT}, the broker also ends the
     * connection when it consumes nothing for {@code rbmq.broker.stall-timeout} while messages wait for it. If the
     * connection is lost during a pause, the messages that wait in this program are reported as a gap. After a close of
     * the subscription or its Subscriber, they are not.
     *
     * <p>Other subscriptions of this Subscriber to the same topics wait, too. One that begins during the pause does not
     * receive the messages that wait, only those published later. Idempotent; has no effect on a subscription that is
     * closed.
     */
    public synchronized void pause() {
        paused = true;
        taking = false;
    }

    /** Continues with the first message that has not been handed over. Idempotent. */
    public void resume() {
        synchronized (this) {
            if (!paused) {
                return;
            }
            paused = false;
            taking = !isLeft();
            if (resuming) {
                return;
            }
            resuming = true;
        }
        owner.onResume(this);
    }

    /** Returns true between {@link #pause()} and {@link #resume()}. */
    public synchronized boolean isPaused() {
        return paused;
    }

    /** Returns the number of messages handed over, including those whose handler threw; updated once per transfer. */
    public long receivedCount() {
        return counts.receivedCount();
    }

    /** Returns the total length of the messages handed over in bytes, without their headers. */
    public long receivedLength() {
        return counts.receivedLength();
    }

    /** Returns the number of bytes skipped, including headers. */
    public long lostLength() {
        return counts.lostLength();
    }

    /** Returns the number of messages whose handler threw. */
    public long failedCount() {
        return counts.failedCount();
    }

    /** Returns the number of publishers' buffers that were unsubscribed from because a frame was malformed. */
    public long malformedCount() {
        return counts.malformedCount();
    }

    // Used by the Subscriber.

    int number() {
        return number;
    }

    /** Returns the policy; null leaves the choice to the broker. */
    SlowPolicy policy() {
        return policy;
    }

    TopicFilter topicFilter() {
        return filter;
    }

    MessageHandler handler() {
        return handler;
    }

    GapHandler gapHandler() {
        return gapHandler;
    }

    SubscriptionCounts counts() {
        return counts;
    }

    /** Returns true while the handler may be called. */
    boolean isTaking() {
        return taking;
    }

    /** Returns true when the handler must not be called again. */
    boolean isLeft() {
        return life.compareTo(Life.CLOSING) >= 0;
    }

    /** Stops handing over messages for good; returns false if that has happened before. */
    boolean leave() {
        synchronized (this) {
            if (isLeft()) {
                return false;
            }
            life = Life.CLOSING;
            taking = false;
        }
        ready.completeExceptionally(new TransportException(
                TransportException.Code.CLOSED, "the subscription to \"" + filter + "\" was closed"));
        return true;
    }

    /** Ends a subscription that {@link #leave()} has stopped. */
    void end() {
        stop();
        closed.complete(null);
    }

    /** Ends the subscription; {@link #ready()} fails unless it has completed. */
    void fail(TransportException cause) {
        stop();
        ready.completeExceptionally(cause);
        closed.complete(null);
    }

    private synchronized void stop() {
        life = Life.ENDED;
        taking = false;
    }

    // On the worker.

    /** Called before the messages that have waited are read. */
    synchronized void onResumed() {
        resuming = false;
    }

    /** Returns the buffers with an established or pending subscription. */
    Collection<PublisherBuffer> buffers() {
        return buffers;
    }

    /** Called when subscribing to a buffer begins. */
    void unsettled() {
        unsettledCount++;
    }

    /** Called when subscribing to a buffer has succeeded or failed. */
    void settled() {
        unsettledCount--;
        completeWhenLive();
    }

    /**
     * Called when the broker has listed all buffers that the matching topics had when the subscription began, which
     * means that it has accepted the subscription. Returns true when the broker must now be asked to end it.
     */
    boolean onListed() {
        listed = true;
        completeWhenLive();
        return endRequested;
    }

    /**
     * Called after {@link #leave()}. Returns true when the broker must be asked to end the subscription now. Before the
     * broker has accepted the subscription, it must not be asked, because it does not know one that it refuses.
     */
    boolean requestEnd() {
        endRequested = true;
        return listed;
    }

    boolean isListed() {
        return listed;
    }

    private void completeWhenLive() {
        if (!listed || unsettledCount > 0) {
            return;
        }
        synchronized (this) {
            if (life != Life.ASKED) {
                return;
            }
            life = Life.LIVE;
        }
        ready.complete(null);
    }
}
