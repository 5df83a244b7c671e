package io.rocketbufs.delivery;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What one buffer owes its subscriptions: the memory, the log of what was delivered, and who reads it.
 *
 * <p>The same class stands behind a buffer that the application fills and behind a spliced one; they differ in their
 * {@link FanoutOwner}.
 *
 * <p><b>Thread-safety:</b> the sets of readers change under a lock and are read without one. A subscription that enters
 * is published before it looks for the log's end, and the owner fences between appending and looking at the set; so
 * either the owner sees the subscription, or the subscription sees what was appended. <b>Ownership:</b> the owner frees
 * the memory after {@link FanoutOwner#onDrained()}. <b>Source:</b> RocketBufs 3.2 to 3.4.
 */
final class Fanout {
    /** Transfers of several deliveries are at most this long: longer ones gain nothing and add delay. */
    static final int MAX_COALESCED_LENGTH = 256 * 1024;

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
    /** Log position that all must have passed before the owner can go on. */
    private volatile long wanted;

    /** Log position that a subscription which is gone had consumed, when it had not consumed everything. */
    private volatile long abandoned = Long.MAX_VALUE;

    private volatile boolean ended;
    /** Log position where it has ended: what a spliced input receives later is for nobody. */
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

    int bufferId() {
        return bufferId;
    }

    CircularBuffer memory() {
        return memory;
    }

    DeliveryLog log() {
        return log;
    }

    BufferOptions options() {
        return options;
    }

    Subscription[] subscriptions() {
        return subscriptions;
    }

    /** True when nobody reads and nobody is expected. */
    boolean isUnwanted() {
        return subscriptions.length == 0 && !isHeld();
    }

    private boolean isHeld() {
        for (Expected place : expected) {
            if (place.position() != Long.MAX_VALUE) {
                return true;
            }
        }
        return false;
    }

    /** Number of subscriptions that a connection has. */
    long subscriptionCount(Endpoint endpoint) {
        return Arrays.stream(subscriptions)
                .filter(subscription -> subscription.endpoint() == endpoint)
                .count();
    }

    boolean isEnded() {
        return ended;
    }

    /** Log position where this has ended; {@link Long#MAX_VALUE} before. */
    long endPosition() {
        return endPosition;
    }

    /** Longest transfer that is passed on whole whatever a subscription's limit; 0 when none is known. */
    long longestCoalesced() {
        return owner.longestCoalesced();
    }

    /** Longest transfer of several deliveries, as far as the sending side decides. */
    long coalesceLimit() {
        return Math.max(1, Math.min(MAX_COALESCED_LENGTH, memory.capacity() / 4));
    }

    /**
     * Longest record that merging may make, so that every subscription can coalesce within its own limit; 0 while data
     * is held for one whose limit is not known.
     */
    long mergeLimit() {
        return mergeLimit;
    }

    /**
     * Log position that all readers have passed; the log's end when there is none. Any thread.
     *
     * <p>The end is read before the sets, and the places held before the subscriptions that take them over: whoever
     * enters meanwhile is either seen or stands at that end or later.
     */
    long minReleased() {
        long min = log.visibleEnd();
        VarHandle.fullFence();
        for (Expected place : expected) {
            min = Math.min(min, place.position());
        }
        for (Subscription subscription : subscriptions) {
            min = Math.min(min, subscription.released());
        }
        return min;
    }

    /**
     * Log position up to which all readers are known to have consumed; those that went without having consumed
     * everything hold it back for good. Any thread.
     */
    long minConsumed() {
        long min = Math.min(log.visibleEnd(), abandoned);
        VarHandle.fullFence();
        for (Expected place : expected) {
            min = Math.min(min, place.position());
        }
        for (Subscription subscription : subscriptions) {
            min = Math.min(min, subscription.consumed());
        }
        return min;
    }

    /** Completes when all readers have consumed what is delivered by now; fails when one goes before. Any thread. */
    CompletableFuture<Void> flush() {
        long target = log.visibleEnd();
        CompletableFuture<Void> flushed = flushes.add(target);
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.requestFlush(target);
        }
        send();
        onConsumed();
        // Nobody is going to say that what went with somebody was consumed.
        flushes.fail(abandoned, "a subscription to buffer " + bufferId + " ended before it had consumed everything");
        return flushed;
    }

    /** A subscription's peer has consumed something. */
    void onConsumed() {
        if (!flushes.isEmpty()) {
            flushes.succeed(minConsumed());
        }
    }

    // The owner's side.

    /** Makes every subscription ready after an append; {@link #send()} must follow. */
    void announce() {
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.sender().signal(subscription);
        }
    }

    /** Lets the senders of all subscriptions send on this thread. */
    void send() {
        for (Subscription subscription : subscriptions) {
            subscription.sender().flush();
        }
    }

    /** Lets every subscription look again, also one that waits for credit: what is pending has changed. */
    void wake() {
        for (Subscription subscription : subscriptions) {
            subscription.sender().wake(subscription);
        }
    }

    /** Makes ready and sends, as a producer does that has made so many deliveries. */
    void announceFromProducer(long deliveries) {
        VarHandle.fullFence();
        for (Subscription subscription : subscriptions) {
            subscription.sender().signalFromProducer(subscription, deliveries);
        }
    }

    /**
     * The owner lacks space until every reader has passed {@code position}: applies each laggard's policy.
     *
     * @return true when all have passed it now
     */
    boolean relieve(long position) {
        wanted = Math.max(wanted, position);
        boolean free = relieveOfExpected(position);
        for (Subscription subscription : subscriptions) {
            if (subscription.released() < position) {
                free &= relieveOf(subscription, position);
            }
        }
        return free;
    }

    private boolean relieveOfExpected(long position) {
        boolean free = true;
        for (Expected place : expected) {
            if (place.position() < position) {
                if (options.flowControl()) {
                    free = false;
                } else {
                    giveUp(place, false);
                }
            }
        }
        return free;
    }

    private boolean relieveOf(Subscription subscription, long position) {
        if (!options.flowControl()) {
            return subscription.skipTo(position);
        }
        switch (subscription.policy()) {
            case SKIP:
                return subscription.giveWay(position);
            case DISCONNECT:
                subscription.checkLag();
                return false;
            default:
                return false;
        }
    }

    /** Log position that all must have passed before the owner can go on. */
    long wanted() {
        return wanted;
    }

    /** Lets every subscription go on at the end, whatever its policy. */
    void skipAll() {
        for (Subscription subscription : subscriptions) {
            subscription.skipTo(log.visibleEnd());
            subscription.sender().flush();
        }
    }

    /** Cuts the connections that still stand before {@code position}. */
    void disconnectLaggards(long position) {
        for (Subscription subscription : subscriptions) {
            if (subscription.released() < position) {
                subscription
                        .endpoint()
                        .disconnect(subscription.describe() + " keeps memory in use that is to be overwritten");
            }
        }
    }

    /**
     * Nothing more will be delivered; subscriptions get what is left, then END. So does a connection for which a place
     * is held, when it subscribes in time.
     */
    void end() {
        boolean nobody;
        synchronized (this) {
            if (ended) {
                return;
            }
            endPosition = log.visibleEnd();
            ended = true;
            for (Expected place : expected) {
                if (!place.isForSomebody()) {
                    log.markLost(place.position());
                }
            }
            expected = keep(expected, Expected::isForSomebody);
            nobody = becomesDrained();
        }
        try {
            announce();
            send();
            if (reports != null) {
                reports.progress(Runnable::run);
            }
        } finally {
            if (nobody) {
                owner.onDrained();
            }
        }
    }

    // The readers' side.

    /**
     * Enters a subscription that reads from the next delivery on, or takes over the place that was held for it. It is
     * not active yet.
     *
     * @return null when the buffer has ended and no place is held
     */
    Subscription subscribe(Endpoint endpoint, int tag, RemoteBuffer remote, int wantedLimit, SlowPolicy policy) {
        Subscription entered = enter(endpoint, tag, remote, wantedLimit, policy);
        lookAgain();
        return entered;
    }

    /** Who enters holds everything back for a moment; whoever looked just then must look again. */
    private void lookAgain() {
        VarHandle.fullFence();
        owner.onReleased(Long.MAX_VALUE);
    }

    private synchronized Subscription enter(
            Endpoint endpoint, int tag, RemoteBuffer remote, int wantedLimit, SlowPolicy policy) {
        long from = Long.MAX_VALUE;
        long position = Long.MAX_VALUE;
        for (Expected place : expected) {
            if (place.isFor(endpoint)) {
                from = Math.min(from, place.from());
                position = Math.min(position, place.position());
            }
        }
        if (ended && position == Long.MAX_VALUE) {
            return null;
        }
        Subscription subscription = new Subscription(this, endpoint, tag, remote, wantedLimit, policy);
        Subscription[] entered = Arrays.copyOf(subscriptions, subscriptions.length + 1);
        entered[entered.length - 1] = subscription;
        subscriptions = entered;
        // Before the end is looked for, so that nothing beyond it is merged that is too long for this subscription.
        limitMerging();
        VarHandle.fullFence();
        subscription.join(from, position);
        expected = keep(expected, place -> !place.isFor(endpoint));
        limitMerging();
        VarHandle.fullFence();
        subscription.flush().raise(flushes.target());
        return subscription;
    }

    /** Holds data from now on for a connection that is going to subscribe; null = for whoever comes first. */
    Expected expect(Endpoint endpoint) {
        Expected place = enter(endpoint);
        lookAgain();
        return place;
    }

    private synchronized Expected enter(Endpoint endpoint) {
        Expected place = new Expected(endpoint, minReleased());
        Expected[] entered = Arrays.copyOf(expected, expected.length + 1);
        entered[entered.length - 1] = place;
        expected = entered;
        limitMerging();
        VarHandle.fullFence();
        // Only now: what was delivered before it was entered may be overwritten already.
        place.hold(log.visibleEnd());
        return place;
    }

    /** True while a place is held or remembered, and nobody has taken it. */
    boolean knows(Expected place) {
        for (Expected each : expected) {
            if (each == place) {
                return true;
            }
        }
        return false;
    }

    /** The one who was expected has not come in time, or will not come at all. */
    void giveUp(Expected place, boolean forGood) {
        boolean nobody;
        synchronized (this) {
            log.markLost(place.position());
            place.giveUp();
            if (forGood || ended) {
                expected = without(expected, place);
            }
            limitMerging();
            nobody = becomesDrained();
        }
        try {
            owner.onReleased(Long.MAX_VALUE);
            if (reports != null) {
                reports.progress(place.executor());
            }
        } finally {
            if (nobody) {
                owner.onDrained();
            }
        }
    }

    /** A subscription has let go of memory. */
    void onReleased(Subscription subscription) {
        VarHandle.fullFence();
        owner.onReleased(subscription.released());
        if (reports != null) {
            reports.progress(subscription.endpoint().worker());
        }
    }

    /**
     * Takes a subscription out; what it held is free, and what it had not sent counts as lost.
     *
     * @param willingly it was the peer's wish
     */
    void remove(Subscription subscription, boolean willingly) {
        boolean nobody;
        long consumed = willingly || !options.flowControl() ? Long.MAX_VALUE : subscription.consumed();
        synchronized (this) {
            if (!Arrays.asList(subscriptions).contains(subscription)) {
                return;
            }
            if (consumed < log.visibleEnd()) {
                abandoned = Math.min(abandoned, consumed);
            }
            log.markLost(subscription.released());
            subscriptions = without(subscriptions, subscription);
            limitMerging();
            nobody = becomesDrained();
        }
        flushes.fail(consumed, subscription.describe() + " ended before it had consumed everything");
        onConsumed();
        owner.onReleased(Long.MAX_VALUE);
        if (reports != null) {
            reports.progress(subscription.endpoint().worker());
        }
        if (nobody) {
            owner.onDrained();
        }
    }

    private void limitMerging() {
        long limit = isHeld() ? 0 : coalesceLimit();
        for (Subscription subscription : subscriptions) {
            limit = Math.min(limit, subscription.coalesceLimit());
        }
        mergeLimit = limit;
    }

    private boolean becomesDrained() {
        boolean becomes = ended && !drained && isUnwanted();
        drained |= becomes;
        return becomes;
    }

    private static <T> T[] without(T[] all, T one) {
        return keep(all, each -> each != one);
    }

    private static <T> T[] keep(T[] all, Predicate<T> which) {
        return Arrays.stream(all).filter(which).toArray(n -> Arrays.copyOf(all, n));
    }
}
