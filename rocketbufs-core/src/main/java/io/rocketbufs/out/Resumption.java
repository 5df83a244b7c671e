package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The place where a later subscription can continue if the last subscription of a buffer is lost. All data after this
 * place is kept.
 *
 * <pre>
 *               subscribes                    the last subscription is lost
 *   IDLE ------------------------&gt; FOLLOWING ------------------------------&gt; WAITING
 *     ^                            |  ^    ^                                 |
 *     +--- the last unsubscribes --+  |    +------------ subscribes ---------+
 *                                     |
 *                     the slowest subscription has consumed more
 * </pre>
 *
 * <p>While the place is FOLLOWING, its position is the end of the last delivery that the slowest subscription is known
 * to have consumed. The place is a permanent member of the set of readers. A thread that determines the lowest position
 * therefore always sees the place, even between the loss of one subscription and the arrival of the next.
 *
 * <p>Memory becomes free only when its consumption is reported. A producer that waits for space therefore depends on
 * reports. This class requests them from every subscription, including any that joins later, until the place has passed
 * the awaited position. A report can fall short of this position. The log does not store where the deliveries inside a
 * record end, so the place stays at the beginning of a partly consumed record.
 *
 * <p>A subscriber can reconnect before the loss of its previous connection is detected. Its new subscription then
 * supersedes the subscription with the same identity, which no longer affects this place. Only subscriptions with the
 * same identity are attributed to the same subscriber. If the place is WAITING, any subscription takes it over, because
 * the producer would otherwise wait even though there is a subscriber. If the lost subscriber has an identity, only
 * that subscriber can state what it has consumed. If another subscriber begins at a later position, the data in between
 * is lost.
 *
 * <p><b>Thread-safety:</b> the same as for {@link Expected}: changed under the owner's lock; any thread may read the
 * place, and call {@link #onConsumed()} and {@link #requestReports()} without the lock.
 */
final class Resumption extends Expected {
    private enum State {
        IDLE,
        FOLLOWING,
        WAITING
    }

    private final Supplier<Subscription[]> subscriptions;
    private final Consumer<Executor> onAdvanced;
    private final LongSupplier awaited;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private volatile State state = State.IDLE;
    private volatile long consumed = Long.MAX_VALUE;
    /**
     * Position at which a subscription that requests no position begins. This position lies after the start of the kept
     * data if that start is inside a delivery.
     */
    private long boundary = Long.MAX_VALUE;
    /** While this place is WAITING: the identity of the subscriber that was lost; 0 for none. */
    private long identity;

    /**
     * Creates a place that keeps nothing until the first subscription.
     *
     * @param owner the buffer, which is also the lock
     * @param subscriptions returns the current subscriptions
     * @param onAdvanced called without the lock when data may have been consumed, with a subscription's worker, or null
     *     if there is no subscription
     * @param awaited returns the log position that this place must pass before the producer is notified
     */
    Resumption(
            Owner owner,
            DeliveryLog log,
            Supplier<Subscription[]> subscriptions,
            Consumer<Executor> onAdvanced,
            LongSupplier awaited) {
        super(owner, log, null, Long.MAX_VALUE);
        this.subscriptions = subscriptions;
        this.onAdvanced = onAdvanced;
        this.awaited = awaited;
    }

    @Override
    boolean isPermanent() {
        return true;
    }

    @Override
    boolean isKeeping() {
        return state == State.WAITING;
    }

    @Override
    boolean isOf(Link other) {
        return state == State.WAITING;
    }

    @Override
    long consumed() {
        return consumed;
    }

    @Override
    long boundary() {
        return boundary;
    }

    // Under the lock.

    /** Returns the subscription that a new subscription with the given identity supersedes; null if there is none. */
    Subscription superseded(long newIdentity) {
        for (Subscription subscription : subscriptions.get()) {
            if (newIdentity != 0 && subscription.identity() == newIdentity && isReplaceable(subscription)) {
                return subscription;
            }
        }
        return null;
    }

    private static boolean isReplaceable(Subscription one) {
        // A peer that unsubscribed has given up its place.
        return !one.isSuperseded() && !one.life().isLeaving();
    }

    /**
     * Called when a subscription joins, before it begins. If it begins after the position at which a lost subscription
     * stopped, it does not receive the data in between.
     *
     * @return log position up to which data is known to be consumed, if the data after that position is lost;
     *     {@link Long#MAX_VALUE} if no data is lost
     */
    long joined(Beginning beginning, long newIdentity) {
        long position = beginning.position();
        boolean loses = state == State.WAITING && position > consumed && identity != 0 && identity != newIdentity;
        long lost = loses ? consumed : Long.MAX_VALUE;
        if (loses) {
            log.markLost(consumed, position);
        }
        if (state == State.IDLE || position < consumed) {
            log.seek(cursor, position);
            consumed = position;
            boundary = Math.min(boundary, beginning.boundary());
            keepFrom(Math.min(position(), Math.min(position, beginning.boundary())));
        } else if (state == State.WAITING) {
            advance(position);
        }
        state = State.FOLLOWING;
        return lost;
    }

    /**
     * Called when a subscription is about to be removed.
     *
     * @param willingly true if its peer unsubscribed
     * @return true if its data is kept for a later subscription
     */
    boolean left(Subscription one, boolean willingly) {
        if (state != State.FOLLOWING || hasOthers(one)) {
            return false;
        }
        if (willingly) {
            keepNothing();
            return false;
        }
        identity = one.identity();
        state = State.WAITING;
        return true;
    }

    private boolean hasOthers(Subscription one) {
        for (Subscription subscription : subscriptions.get()) {
            if (subscription != one && !subscription.isSuperseded()) {
                return true;
            }
        }
        return false;
    }

    @Override
    void keepNothing() {
        super.keepNothing();
        consumed = Long.MAX_VALUE;
        boundary = Long.MAX_VALUE;
        state = State.IDLE;
    }

    /** Advances to the last boundary at or before the position of the slowest subscription. */
    private void follow(Subscription[] followed) {
        long slowest = Slowest.consumed(followed, log.visibleEnd());
        if (state == State.FOLLOWING && slowest > cursor.position()) {
            advance(slowest);
        }
    }

    private void advance(long newConsumed) {
        log.advance(cursor, newConsumed - cursor.position());
        consumed = newConsumed;
        long passed = log.boundaryAt(cursor);
        boundary = Math.max(boundary, passed);
        keepFrom(Math.max(position(), passed));
    }

    /**
     * Returns the log position up to which subscriptions must consume data so that this place passes {@code position};
     * 0 when the place has passed it or does not depend on subscriptions.
     */
    private long consumptionFor(long position) {
        if (state != State.FOLLOWING || position() >= position) {
            return 0;
        }
        return Math.max(position, log.logEnd(cursor.record()));
    }

    // Without the lock.

    /** Called when subscriptions may have consumed more data. */
    void onConsumed() {
        Subscription[] followed;
        synchronized (owner) {
            followed = subscriptions.get();
            follow(followed);
        }
        onAdvanced.accept(followed.length == 0 ? null : followed[0].link().worker());
        requestReports();
    }

    /** Requests the reports of consumption without which the waiting producer would not be notified. */
    void requestReports() {
        request(awaited.getAsLong());
    }

    /** Requests the reports of consumption without which this place would not pass a position. */
    void requestReports(long position) {
        for (Subscription subscription : subscriptions.get()) {
            // The report may already have arrived.
            subscription.word().look();
        }
        request(Math.max(position, awaited.getAsLong()));
    }

    private void request(long position) {
        Subscription[] asked;
        long needed;
        synchronized (owner) {
            asked = subscriptions.get();
            needed = consumptionFor(position);
        }
        for (Subscription subscription : asked) {
            if (subscription.flush().awaitSpace(needed, subscription.consumed())) {
                subscription.look();
                subscription.link().sender().sendReady();
            }
        }
    }

    /**
     * Returns true if the subscription's peer must consume more data before this place can pass {@code wanted}, or the
     * awaited position if that is higher.
     */
    boolean awaits(Subscription subscription, long wanted) {
        synchronized (owner) {
            return subscription.consumed() < consumptionFor(Math.max(wanted, awaited.getAsLong()));
        }
    }
}
