package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The readers of one buffer: its subscriptions, its expected subscriptions, and the position that all of them have
 * passed. Used by both application-filled and spliced buffers, which differ in their {@link FanoutOwner}.
 *
 * <p><b>Thread-safety:</b> the sets of readers change under a lock and are read without one. A joining subscription is
 * published before it reads the log's end, and the owner executes a full fence between appending and reading the set.
 * Therefore, either the owner sees the subscription, or the subscription sees the appended data. <b>Ownership:</b> the
 * owner frees the memory after {@link FanoutOwner#onDrained()}. <b>Source:</b> RocketBufs 3.2 to 3.4.
 */
public final class Fanout implements Expected.Owner {
    private final int bufferId;
    private final CircularBuffer memory;
    private final DeliveryLog log;
    private final BufferOptions options;
    private final FanoutOwner owner;
    private final DataOutReports reports;
    private final MergeLimits limits;
    private final Flushes flushes = new Flushes();
    private final Kept kept;
    private final Expectations expected = new Expectations();
    private final SpaceDemand demand;
    /** The place where a later subscription can continue; null if the options do not request it. */
    private final Resumption resumption;

    private volatile Subscription[] subscriptions = {};
    private volatile long mergeLimit;
    private volatile boolean ended;
    /** Log position of this buffer's end. No reader receives data that arrives in a spliced input after the end. */
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
        this.kept = new Kept(options.keep());
        this.demand = new SpaceDemand(options.flowControl(), expected, each -> giveUp(each, false));
        this.limits = MergeLimits.of(memory.capacity(), log.limit(), kept.isOn());
        this.mergeLimit = limits.highest();
        this.resumption = options.resume()
                ? new Resumption(this, log, () -> subscriptions, this::notifyOwner, owner::awaited)
                : null;
        if (resumption != null) {
            expected.add(resumption);
        }
    }

    /** Returns the id to which connections subscribe. */
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

    /** Returns the producing side. */
    FanoutOwner owner() {
        return owner;
    }

    Subscription[] subscriptions() {
        return subscriptions;
    }

    /** Returns true if there is no reader and no data is kept for an expected reader. */
    boolean isUnwanted() {
        // The set is read again: a subscription may have replaced an expectation after the first read.
        return subscriptions.length == 0 && !expected.areKeeping() && subscriptions.length == 0;
    }

    /** Returns the number of subscriptions that a connection has to this buffer. */
    public long subscriptionCount(Link link) {
        return Arrays.stream(subscriptions)
                .filter(subscription -> subscription.link() == link)
                .count();
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    /** Returns the log position at which this buffer ended; {@link Long#MAX_VALUE} until then. */
    long endPosition() {
        return endPosition;
    }

    MergeLimits limits() {
        return limits;
    }

    /** Returns the current length limit for merged records: see {@link MergeLimits#with}. */
    long mergeLimit() {
        return mergeLimit;
    }

    /**
     * Returns the log position that all readers have passed; the log's end when there are no readers. Any thread.
     *
     * <p>The end is read before the sets, and expected subscriptions before the active subscriptions that replace them.
     * A reader that joins between these reads is either included, or begins at that end or later. The place of a
     * {@link Resumption} also replaces subscriptions: a subscription may join after the first read and be lost before
     * the second. The place is therefore read again, and then the subscriptions, because the buffer's end empties it.
     */
    long minReleased() {
        long min = log.visibleEnd();
        VarHandle.fullFence();
        min = Slowest.released(subscriptions, expected.lowest(min));
        return resumption == null ? min : Slowest.released(subscriptions, Math.min(min, resumption.position()));
    }

    /**
     * Returns the log position before which no memory or record is needed: all readers have passed it, and no data
     * before it is kept for later readers. Producer only.
     */
    long minNeeded() {
        return Math.min(kept.floor(log.end()), minReleased()); // the floor first: see Kept
    }

    /** Drops kept data before a position, because the owner needs its memory or its records. */
    void dropKept(long position) {
        if (kept.isOn()) {
            synchronized (this) {
                kept.drop(position);
            }
        }
    }

    /**
     * Returns the log position up to which all readers are known to have consumed data. The result never exceeds the
     * position of a reader that ended before it had consumed everything. Any thread.
     */
    long minConsumed() {
        return Math.min(flushes.abandoned(), minConsumedByReaders());
    }

    private long minConsumedByReaders() {
        long min = log.visibleEnd();
        VarHandle.fullFence();
        min = Slowest.consumed(subscriptions, expected.lowestConsumed(min));
        return resumption == null ? min : Slowest.consumed(subscriptions, Math.min(min, resumption.consumed()));
    }

    /**
     * Returns a future that completes when all readers have consumed all data delivered so far. The future fails if a
     * reader ends first, or if a reader ended before this call and nothing has been delivered since. Any thread.
     */
    CompletableFuture<Void> flush() {
        CompletableFuture<Void> flushed;
        long target;
        synchronized (this) {
            target = log.visibleEnd();
            flushed = flushes.add(bufferId, target);
        }
        if (flushed.isDone()) {
            return flushed;
        }
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.flush().raise(target);
        }
        look();
        send();
        onConsumed();
        return flushed;
    }

    /** Completes the flushes whose target all readers have reached, and frees memory that was kept until then. */
    void onConsumed() {
        if (resumption != null) {
            resumption.onConsumed();
        }
        if (!flushes.isEmpty()) {
            flushes.succeed(minConsumedByReaders());
        }
    }

    /** Called when {@link FanoutOwner#awaited()} has changed: requests the reports that the producer waits for. */
    void onAwaited() {
        if (resumption != null) {
            resumption.requestReports();
        }
    }

    /** Returns true if the producer waits for a subscription to consume data that has already been sent. */
    boolean awaitsConsumption(Subscription subscription) {
        // A notified producer states what it awaits. One that blocks may have stopped waiting, so its demand counts.
        return resumption != null && resumption.awaits(subscription, owner.isNotified() ? 0 : demand.position());
    }

    // The owner's side.

    /** Makes every subscription ready after an append; {@link #send()} must be called next. */
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

    /** Makes every subscription, even if it waits for credit, check for work, because pending data has changed. */
    void look() {
        for (Subscription subscription : subscriptions) {
            subscription.look();
        }
    }

    /**
     * Makes all subscriptions ready and sends their pending data. Called for a producer that has made
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
     * @return true if all readers have now passed the position
     */
    boolean relieve(long position) {
        boolean free = demand.apply(position, expected.all(), subscriptions);
        if (resumption != null && !free) {
            resumption.requestReports(position);
        }
        return free;
    }

    /** Returns true if a subscription gives way to the producer instead of making it wait. */
    boolean anyYields() {
        return Slowest.anyYields(subscriptions);
    }

    /** Returns the demand: the position that all readers must pass before the owner can continue. */
    SpaceDemand demand() {
        return demand;
    }

    /**
     * Ends this buffer. Subscriptions receive the remaining data and then END, as does an expected connection that
     * subscribes within its time limit. A late connection is notified of the missed data, and then receives END.
     */
    public void end() {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (ended) {
                return;
            }
            endPosition = log.visibleEnd();
            ended = true;
            // The memory may be free before the last expected connection subscribes.
            kept.drop(endPosition);
            lost = flushes.claim(expected.end(log));
            drainedNow = changed();
        }
        lost.accept("buffer " + bufferId + " ended before a subscriber joined");
        announce();
        send();
        afterChange(drainedNow, Runnable::run);
    }

    // The readers' side.

    /**
     * Adds a subscription that begins where its terms request, without activating it. In a buffer with
     * {@link BufferOptions#resume}, ends an earlier subscription with the same identity.
     *
     * @return null if the buffer has ended and this connection is not expected
     */
    public Subscription subscribe(Link link, SubscriptionTerms terms) {
        Subscription entered;
        Subscription superseded;
        Consumer<String> lost;
        synchronized (this) {
            if (ended && !expected.include(link)) {
                return null;
            }
            entered = new Subscription(this, link, terms);
            superseded = resumption == null || ended ? null : resumption.superseded(terms.identity());
            lost = flushes.abandon(enter(entered, terms, superseded), log.visibleEnd());
        }
        lost.accept("another subscriber of buffer " + bufferId + " began later than the lost one stopped");
        if (superseded != null) {
            superseded.link().sender().relieve(superseded);
        }
        if (owner.usesCredit()) {
            entered.share().open(memory.capacity() + terms.window(), entered.released());
        }
        // Joining briefly lowers the readers' positions, so a thread that has read them must read them again.
        afterChange(false, null);
        return entered;
    }

    /** Begins a subscription; returns the position after which data is lost: see {@link Resumption#joined}. */
    private long enter(Subscription subscription, SubscriptionTerms terms, Subscription superseded) {
        demand.settle(minReleased());
        Subscription[] more = Arrays.copyOf(subscriptions, subscriptions.length + 1);
        more[more.length - 1] = subscription;
        subscriptions = more;
        // Called before the end is read, so that no record after that end grows too long for this subscription.
        changed();
        VarHandle.fullFence();
        long consumed = superseded == null ? -1 : superseded.consumed();
        Link link = subscription.link();
        Beginning beginning = Beginning.of(terms, consumed, link, expected.all(), log, kept, endPosition);
        // Called before the subscription begins, because the place may be lower than the beginning.
        long lost = resumption == null || ended ? Long.MAX_VALUE : resumption.joined(beginning, terms.identity());
        subscription.stream().begin(beginning);
        if (superseded != null) {
            // Threads that determine the consumed position now use the new subscription or the place instead.
            superseded.life().supersede();
        }
        expected.joined(link);
        changed();
        VarHandle.fullFence();
        subscription.flush().raise(flushes.target());
        return lost;
    }

    /**
     * Returns the reason why a subscription with the given capacity cannot begin at the requested start; null if it
     * can. Any thread.
     */
    public String refusalOf(Start start, long capacity) {
        if (capacity < owner.longestCoalesced(start)) {
            return "capacity=" + capacity + " is less than the transfers of up to " + owner.longestCoalesced(start)
                    + " bytes that buffer " + bufferId + " passes on or keeps";
        }
        return Beginning.refusalOf(start, bufferId, options, log, Math.min(log.visibleEnd(), endPosition));
    }

    /** Keeps all data delivered after this call until {@code link} (null for any connection) subscribes. */
    public Expected expect(Link link) {
        return enter(position -> new Expected(this, log, link, position));
    }

    /** Adds an expectation, created for the lowest position in use, which keeps the data from the next delivery on. */
    <E extends Expected> E enter(LongFunction<E> reader) {
        E entered;
        synchronized (this) {
            entered = reader.apply(minReleased());
            expected.add(entered);
            changed();
            VarHandle.fullFence();
            // Data delivered before the entry was added is not kept, because it may already have been overwritten.
            entered.keepFrom(log.visibleEnd());
        }
        afterChange(false, null);
        return entered;
    }

    @Override
    public boolean expects(Expected one) {
        return expected.contains(one);
    }

    @Override
    public void giveUp(Expected one, boolean forGood) {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (!expects(one)) {
                return; // the subscription has joined
            }
            lost = flushes.abandon(forGood ? one.position() : Long.MAX_VALUE, log.visibleEnd());
            log.markLost(one.position());
            one.keepNothing();
            if (forGood) {
                expected.remove(one);
            }
            drainedNow = changed();
        }
        lost.accept("an expected subscriber of buffer " + bufferId + " was lost");
        afterChange(drainedNow, one.executor());
    }

    /** Called when a subscription can now send, and therefore release memory that the owner waits for. */
    void onActivated(Subscription subscription) {
        VarHandle.fullFence();
        owner.onJoined(subscription.released());
    }

    /** Called when a reader has released memory up to a log position. */
    void onRead(long position) {
        VarHandle.fullFence();
        owner.onReleased(position);
    }

    /** Called when a subscription has released memory. */
    void onReleased(Subscription subscription) {
        onRead(subscription.released());
        if (reports != null) {
            reports.announce(subscription.link().worker());
        }
    }

    /**
     * Removes a subscription. The memory that it used becomes free, and data that it has not sent counts as lost.
     *
     * @param willingly true if its peer unsubscribed
     */
    void remove(Subscription subscription, boolean willingly) {
        boolean drainedNow;
        Consumer<String> lost;
        synchronized (this) {
            if (!Arrays.asList(subscriptions).contains(subscription)) {
                return;
            }
            boolean goesOn =
                    subscription.isSuperseded() || resumption != null && resumption.left(subscription, willingly);
            boolean misses = !willingly && !goesOn && options.flowControl();
            lost = flushes.abandon(misses ? subscription.consumed() : Long.MAX_VALUE, log.visibleEnd());
            log.markLost(goesOn ? Long.MAX_VALUE : subscription.released());
            expected.left(subscription.consumed());
            subscriptions = Arrays.stream(subscriptions)
                    .filter(each -> each != subscription)
                    .toArray(Subscription[]::new);
            drainedNow = changed();
        }
        subscription.share().close();
        lost.accept(subscription.describe() + " ended before it had consumed everything");
        afterChange(drainedNow, subscription.link().worker());
    }

    /** Updates the state that depends on the readers, under the lock. Returns true if the buffer becomes drained. */
    private boolean changed() {
        mergeLimit = limits.with(subscriptions, expected.limitMerging());
        boolean becomesDrained = ended && !drained && isUnwanted();
        drained |= becomesDrained;
        return becomesDrained;
    }

    /** Notifies everything that depends on the readers. Called without the lock. */
    private void afterChange(boolean drainedNow, Executor reportOn) {
        VarHandle.fullFence();
        try {
            onConsumed();
            notifyOwner(reportOn);
        } finally {
            if (drainedNow) {
                owner.onDrained();
            }
        }
    }

    /** Notifies the owner that memory may be free; reports deliveries on the executor unless it is null. */
    private void notifyOwner(Executor reportOn) {
        VarHandle.fullFence();
        owner.onReleased(Long.MAX_VALUE);
        if (reports != null && reportOn != null) {
            reports.announce(reportOn);
        }
    }
}
