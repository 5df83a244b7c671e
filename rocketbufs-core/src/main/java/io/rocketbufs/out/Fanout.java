package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The readers of one buffer: its subscriptions, the expected ones, and the position that all of them have passed.
 *
 * <p>The same class serves a buffer that the application fills and a spliced one; they differ in their
 * {@link FanoutOwner}.
 *
 * <p><b>Thread-safety:</b> the sets of readers change under a lock and are read without one. A joining subscription is
 * published before it reads the log's end, and the owner executes a full fence between appending and reading the set.
 * Therefore, either the owner sees the subscription, or the subscription sees the appended data. <b>Ownership:</b> the
 * owner frees the memory after {@link FanoutOwner#onDrained()}. <b>Source:</b> RocketBufs 3.2 to 3.4.
 */
public final class Fanout {
    /** Longest transfer that combines several deliveries. Longer ones would gain nothing and add delay. */
    private static final int MAX_COALESCED_LENGTH = 256 * 1024;

    private final int bufferId;
    private final CircularBuffer memory;
    private final DeliveryLog log;
    private final BufferOptions options;
    private final FanoutOwner owner;
    private final DataOutReports reports;
    private final Flushes flushes = new Flushes();
    private volatile Expected[] expected = {};
    private volatile Subscription[] subscriptions = {};
    private volatile long mergeLimit;
    /** Log position that all readers must have passed before the owner can continue. */
    private volatile long wanted;

    /** Lowest consumed log position of the subscriptions that ended before they had consumed everything. */
    private volatile long abandoned = Long.MAX_VALUE;
    /** Position of the log's end at the time when the last such subscription ended. */
    private volatile long abandonedEnd = -1;

    private volatile boolean ended;
    /** Log position where this buffer ended. No reader receives data that arrives in a spliced input after the end. */
    private volatile long endPosition = Long.MAX_VALUE;

    private boolean drained;

    Fanout(
            int bufferId,
            CircularBuffer memory,
            DeliveryLog log,
            BufferOptions options,
            FanoutOwner owner,
            DataOutReports reports) {
        this.bufferId = bufferId;
        this.memory = memory;
        this.log = log;
        this.options = options;
        this.owner = owner;
        this.reports = reports;
        this.mergeLimit = coalesceLimit();
    }

    /** Returns the id that connections subscribe to. */
    public int bufferId() {
        return bufferId;
    }

    CircularBuffer memory() {
        return memory;
    }

    DeliveryLog log() {
        return log;
    }

    /** Returns the options of this buffer. */
    public BufferOptions options() {
        return options;
    }

    /** Returns true when deliveries may overwrite data that a subscription has not sent yet. */
    boolean overwrites() {
        return owner.overwrites();
    }

    /** Returns SKIP if the producer never waits; otherwise {@code asked} or, if it is null, the buffer's policy. */
    SlowPolicy policyFor(SlowPolicy asked) {
        if (!options.flowControl()) {
            return SlowPolicy.SKIP;
        }
        return asked == null ? options.slowPolicy() : asked;
    }

    Subscription[] subscriptions() {
        return subscriptions;
    }

    /** Returns true when there is no reader and no data is kept for an expected reader. */
    boolean isUnwanted() {
        return subscriptions.length == 0 && !isKeeping();
    }

    private boolean isKeeping() {
        for (Expected each : expected) {
            if (each.isKeeping()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of subscriptions that a connection has to this buffer. */
    public long subscriptionCount(Link link) {
        return Arrays.stream(subscriptions)
                .filter(subscription -> subscription.link() == link)
                .count();
    }

    boolean isEnded() {
        return ended;
    }

    /** Returns the log position where this buffer ended; {@link Long#MAX_VALUE} until then. */
    long endPosition() {
        return endPosition;
    }

    /** Returns the length of the longest combined transfer that must be sent whole despite any limits; 0 for none. */
    public long longestCoalesced() {
        return owner.longestCoalesced();
    }

    /** Returns the sending side's limit for transfers that combine several deliveries, in bytes. */
    long coalesceLimit() {
        return Math.max(1, Math.min(MAX_COALESCED_LENGTH, memory.capacity() / 4));
    }

    /** Returns the lowest merge limit that makes the available records suffice for a full buffer. */
    long leastMergeLimit() {
        return 2 * memory.capacity() / log.limit() + 1;
    }

    /**
     * Returns the length limit for merged records, which lets every subscription coalesce within its own limit; 0 while
     * data is kept for a subscription whose limit is not known.
     */
    long mergeLimit() {
        return mergeLimit;
    }

    /**
     * Returns the log position that all readers have passed; the log's end when there are no readers. Any thread.
     *
     * <p>The end is read before the sets, and the expected subscriptions before the active ones that replace them. A
     * reader that joins between these reads is either included or begins at that end or later.
     */
    long minReleased() {
        long min = log.visibleEnd();
        VarHandle.fullFence();
        for (Expected each : expected) {
            min = Math.min(min, each.position());
        }
        for (Subscription subscription : subscriptions) {
            min = Math.min(min, subscription.released());
        }
        return min;
    }

    /**
     * Returns the log position up to which all readers are known to have consumed data. The result never exceeds the
     * position of a reader that ended before it had consumed everything. Any thread.
     */
    long minConsumed() {
        return Math.min(abandoned, minConsumedByReaders());
    }

    private long minConsumedByReaders() {
        long min = log.visibleEnd();
        VarHandle.fullFence();
        for (Expected each : expected) {
            min = Math.min(min, each.position());
        }
        for (Subscription subscription : subscriptions) {
            min = Math.min(min, subscription.consumed());
        }
        return min;
    }

    /**
     * Returns a future that completes when all readers have consumed all data delivered so far. It fails if a reader
     * ends first, or if one ended before this call and nothing has been delivered since. Any thread.
     */
    CompletableFuture<Void> flush() {
        CompletableFuture<Void> flushed;
        long target;
        synchronized (this) {
            target = log.visibleEnd();
            if (target <= abandonedEnd && abandoned < target) {
                return CompletableFuture.failedFuture(new IllegalStateException(
                        "a subscriber of buffer " + bufferId + " was lost before it had consumed everything"));
            }
            flushed = flushes.add(target);
        }
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.flush().raise(target);
            subscription.look();
        }
        send();
        onConsumed();
        return flushed;
    }

    /** Completes the flushes whose target all readers have reached. */
    void onConsumed() {
        if (!flushes.isEmpty()) {
            flushes.succeed(minConsumedByReaders());
        }
    }

    // The owner's side.

    /** Makes every subscription ready after an append; {@link #send()} must follow. */
    void announce() {
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.link().sender().signal(subscription);
        }
    }

    /** Sends the pending data of all subscriptions on this thread. */
    void send() {
        for (Subscription subscription : subscriptions) {
            subscription.link().sender().sendReady();
        }
    }

    /** Makes every subscription check for work, even if it waits for credit, because pending data has changed. */
    void look() {
        for (Subscription subscription : subscriptions) {
            subscription.look();
        }
    }

    /**
     * Makes all subscriptions ready and sends their pending data, on behalf of a producer that has made
     * {@code deliveries} deliveries.
     */
    void announceFromProducer(long deliveries) {
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.link().sender().signalFromProducer(subscription, deliveries);
        }
    }

    /**
     * Applies the slow rule of each lagging reader, because the owner needs every reader to pass {@code position}.
     *
     * @return true when all readers have now passed the position
     */
    boolean relieve(long position) {
        wanted = Math.max(wanted, position);
        boolean free = true;
        for (Expected each : expected) {
            if (each.position() < position) {
                if (options.flowControl()) {
                    free = false;
                } else {
                    giveUp(each, false);
                }
            }
        }
        for (Subscription subscription : subscriptions) {
            if (subscription.released() < position) {
                subscription.spaceWanted();
                free &= subscription.released() >= position;
            }
        }
        return free;
    }

    /** Returns the log position that all readers must have passed before the owner can continue. */
    long wanted() {
        return wanted;
    }

    /** Makes every subscription skip to the end, regardless of its policy. */
    void skipAll() {
        for (Subscription subscription : subscriptions) {
            subscription.requestSkip();
        }
    }

    /**
     * Ends this buffer. Subscriptions receive the remaining data and then END, as does an expected connection that
     * subscribes within its time limit. If it is late, it receives a report of the data that it missed, and then END.
     */
    void end() {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (ended) {
                return;
            }
            endPosition = log.visibleEnd();
            ended = true;
            long unclaimed = Long.MAX_VALUE;
            for (Expected each : expected) {
                if (!each.isOfOneConnection()) {
                    unclaimed = Math.min(unclaimed, each.position());
                    log.markLost(each.position());
                }
            }
            lost = flushes.claim(unclaimed);
            expected = keep(expected, Expected::isOfOneConnection);
            drainedNow = changed();
        }
        lost.accept("buffer " + bufferId + " ended before its first subscriber joined");
        announce();
        send();
        afterChange(drainedNow, Runnable::run);
    }

    // The readers' side.

    /**
     * Adds a subscription that reads from the next delivery on, or from the position where data was kept for it. The
     * subscription is not active yet.
     *
     * @return null when the buffer has ended and this connection is not expected
     */
    public Subscription subscribe(Link link, SubscriptionTerms terms) {
        Subscription entered = enter(link, terms);
        // Joining briefly lowers the readers' positions; a thread that read them meanwhile must read them again.
        afterChange(false, null);
        return entered;
    }

    private synchronized Subscription enter(Link link, SubscriptionTerms terms) {
        long from = Long.MAX_VALUE;
        long position = Long.MAX_VALUE;
        long gapsBefore = 0;
        boolean isExpected = false;
        for (Expected each : expected) {
            if (each.isOf(link)) {
                isExpected = true;
                gapsBefore = each.from() < from ? each.gapsBefore() : gapsBefore;
                from = Math.min(from, each.from());
                position = Math.min(position, each.position());
            }
        }
        if (ended && !isExpected) {
            return null;
        }
        Subscription subscription = new Subscription(this, link, terms);
        subscriptions = with(subscriptions, subscription);
        // Called before the end is read, so that no record after that end grows too long for this subscription.
        changed();
        VarHandle.fullFence();
        subscription.stream().begin(from, position, gapsBefore);
        expected = keep(expected, each -> !each.isOf(link));
        changed();
        VarHandle.fullFence();
        subscription.flush().raise(flushes.target());
        return subscription;
    }

    /** Keeps the data delivered from now on until {@code link} subscribes, or any connection if it is null. */
    public Expected expect(Link link) {
        Expected entered = enter(link);
        afterChange(false, null);
        return entered;
    }

    private synchronized Expected enter(Link link) {
        Expected entered = new Expected(this, link, minReleased());
        expected = with(expected, entered);
        changed();
        VarHandle.fullFence();
        // Data delivered before the entry was added is not kept, because it may already have been overwritten.
        entered.keepFrom(log.visibleEnd());
        return entered;
    }

    /** Returns true until an expected subscription has joined or is no longer expected. */
    boolean expects(Expected one) {
        return Arrays.asList(expected).contains(one);
    }

    /** Stops keeping data for a subscription that has exceeded its time limit or, if {@code forGood}, will not join. */
    void giveUp(Expected one, boolean forGood) {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (!expects(one)) {
                // The subscription has joined.
                return;
            }
            lost = abandon(forGood ? one.position() : Long.MAX_VALUE);
            log.markLost(one.position());
            one.keepNothing();
            if (forGood) {
                expected = keep(expected, each -> each != one);
            }
            drainedNow = changed();
        }
        lost.accept("an expected subscriber of buffer " + bufferId + " was lost");
        afterChange(drainedNow, one.executor());
    }

    /** Called when a subscription has released memory. */
    void onReleased(Subscription subscription) {
        VarHandle.fullFence();
        owner.onReleased(subscription.released());
        if (reports != null) {
            reports.announce(subscription.link().worker());
        }
    }

    /**
     * Removes a subscription. Its memory becomes free, and data that it has not sent counts as lost.
     *
     * @param willingly true when its peer has unsubscribed
     */
    void remove(Subscription subscription, boolean willingly) {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (!Arrays.asList(subscriptions).contains(subscription)) {
                return;
            }
            lost = abandon(willingly || !options.flowControl() ? Long.MAX_VALUE : subscription.consumed());
            log.markLost(subscription.released());
            subscriptions = keep(subscriptions, each -> each != subscription);
            drainedNow = changed();
        }
        lost.accept(subscription.describe() + " ended before it had consumed everything");
        afterChange(drainedNow, subscription.link().worker());
    }

    /**
     * Records that a reader that has consumed up to a position is ending. Called under the lock, before the reader is
     * removed, so that no flush succeeds without the reader.
     *
     * @return a consumer that fails the reader's flushes with the given reason; must be called without the lock
     */
    private Consumer<String> abandon(long consumed) {
        long end = log.visibleEnd();
        if (consumed < end) {
            abandoned = Math.min(abandoned, consumed);
            abandonedEnd = end;
        }
        return flushes.claim(consumed);
    }

    /** Updates the state that depends on the readers, under the lock. Returns true when the buffer becomes drained. */
    private boolean changed() {
        long limit = isKeeping() ? 0 : coalesceLimit();
        for (Subscription subscription : subscriptions) {
            limit = Math.min(limit, subscription.coalesceLimit());
        }
        mergeLimit = limit;
        boolean becomesDrained = ended && !drained && isUnwanted();
        drained |= becomesDrained;
        return becomesDrained;
    }

    /** Notifies everything that depends on the readers, without the lock. */
    private void afterChange(boolean drainedNow, Executor reportOn) {
        VarHandle.fullFence();
        try {
            onConsumed();
            owner.onReleased(Long.MAX_VALUE);
            if (reports != null && reportOn != null) {
                reports.announce(reportOn);
            }
        } finally {
            if (drainedNow) {
                owner.onDrained();
            }
        }
    }

    private static <T> T[] with(T[] all, T one) {
        T[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = one;
        return more;
    }

    private static <T> T[] keep(T[] all, Predicate<T> which) {
        return Arrays.stream(all).filter(which).toArray(n -> Arrays.copyOf(all, n));
    }
}
