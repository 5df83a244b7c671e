package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The place where a later subscription can continue, if the last one of a buffer is lost. All data from this place on
 * is kept.
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
 * <p>While it is FOLLOWING, its position is the end of the last delivery that the slowest subscription is known to have
 * consumed. It is a permanent member of the set of readers, so a thread that looks for the lowest position sees it at
 * every moment, even between the loss of one subscription and the arrival of the next.
 *
 * <p>Memory is not free before consumption is reported. A producer that waits for space therefore depends on reports,
 * which this class requests from every subscription, including one that joins later, until the place has passed the
 * awaited position. A report can fall short of it: the log does not know where the deliveries inside a record end, so
 * the place stays at the beginning of a record that was consumed in part.
 *
 * <p><b>Thread-safety:</b> as {@link Expected}: changed under the owner's lock; any thread reads, and may call
 * {@link #onConsumed()} and {@link #requestReports()} without the lock.
 */
final class Resumption extends Expected {
    private enum State {
        IDLE,
        FOLLOWING,
        WAITING
    }

    private final Owner lock;
    private final DeliveryLog log;
    private final Supplier<Subscription[]> subscriptions;
    private final Consumer<Executor> onAdvanced;
    private final LongSupplier awaited;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private volatile State state = State.IDLE;
    private volatile long consumed = Long.MAX_VALUE;
    /** Where a subscription that requests no position begins; later than the kept data if that begins in a delivery. */
    private long boundary = Long.MAX_VALUE;

    /**
     * Creates a place that keeps nothing until the first subscription.
     *
     * @param owner the buffer, which is also the lock
     * @param subscriptions returns the current subscriptions
     * @param onAdvanced called without the lock when data may have been consumed, with the worker of a subscription;
     *     null if there is none
     * @param awaited returns the log position that this place must pass before the producer is notified
     */
    Resumption(
            Owner owner,
            DeliveryLog log,
            Supplier<Subscription[]> subscriptions,
            Consumer<Executor> onAdvanced,
            LongSupplier awaited) {
        super(owner, log, null, Long.MAX_VALUE);
        this.lock = owner;
        this.log = log;
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

    /**
     * Called when a subscription joins, before it begins. If it continues a lost one at a later position, its peer has
     * consumed the data before this position.
     */
    void joined(Beginning beginning) {
        long position = beginning.position();
        if (state == State.IDLE || position < consumed) {
            log.seek(cursor, position);
            consumed = position;
            boundary = Math.min(boundary, beginning.boundary());
            keepFrom(Math.min(position(), Math.min(position, beginning.boundary())));
        } else if (state == State.WAITING) {
            advance(position);
        }
        state = State.FOLLOWING;
    }

    /**
     * Called when one of the subscriptions is about to be removed.
     *
     * @param willingly true when its peer has unsubscribed
     * @return true when its data is kept for a later subscription, or another one receives or has received it
     */
    boolean left(Subscription one, Subscription[] all, boolean willingly) {
        if (state != State.FOLLOWING) {
            return false;
        }
        long reached = reached(one);
        if (all.length > 1) {
            noteEnd(one, all, willingly ? Long.MAX_VALUE : Math.max(reached, one.consumed()));
            return isContinued(one, all);
        }
        if (willingly || reached == Long.MAX_VALUE) {
            keepNothing();
            return !willingly;
        }
        if (reached > cursor.position()) {
            advance(reached);
        }
        state = State.WAITING;
        return true;
    }

    private static long reached(Subscription one) {
        return one.continuation().reached(one.link().heardCount());
    }

    /** Records in the subscriptions that another one continues how far their peer has consumed data. */
    private static void noteEnd(Subscription one, Subscription[] all, long reached) {
        for (Subscription each : all) {
            if (one.stream().continues(each.stream())) {
                each.continuation().ended(reached, each.link().heardCount());
            }
        }
    }

    /**
     * Returns true when the peer of a subscription has continued it with another one: the loss of a connection may be
     * noticed after the peer has connected again. Either can then be removed first.
     */
    private static boolean isContinued(Subscription one, Subscription[] all) {
        for (Subscription each : all) {
            if (each.stream().continues(one.stream()) || one.stream().continues(each.stream())) {
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
        long slowest = log.visibleEnd();
        for (Subscription subscription : followed) {
            slowest = Math.min(slowest, subscription.consumed());
        }
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
     * 0 when it has passed it, or does not depend on them.
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
        synchronized (lock) {
            followed = subscriptions.get();
            follow(followed);
        }
        onAdvanced.accept(followed.length == 0 ? null : followed[0].link().worker());
        requestReports();
    }

    /** Requests the reports of consumption without which the waiting producer would not be notified. */
    void requestReports() {
        Subscription[] asked;
        long position;
        synchronized (lock) {
            asked = subscriptions.get();
            position = consumptionFor(awaited.getAsLong());
        }
        askForReports(asked, position);
    }

    /** Returns true when the producer cannot continue, at {@code wanted} or later, before a peer has consumed more. */
    boolean awaits(Subscription subscription, long wanted) {
        synchronized (lock) {
            return subscription.consumed() < consumptionFor(Math.max(wanted, awaited.getAsLong()));
        }
    }

    /** Requests the reports of consumption up to a position, unless they have already arrived in words. */
    void askForReports(long position) {
        Subscription[] asked = subscriptions.get();
        for (Subscription subscription : asked) {
            subscription.word().look();
        }
        askForReports(asked, position);
    }

    private static void askForReports(Subscription[] asked, long position) {
        for (Subscription subscription : asked) {
            if (subscription.flush().awaitSpace(position, subscription.consumed())) {
                subscription.look();
                subscription.link().sender().sendReady();
            }
        }
    }
}
