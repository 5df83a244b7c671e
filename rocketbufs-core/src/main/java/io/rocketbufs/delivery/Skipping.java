package io.rocketbufs.delivery;

import io.rocketbufs.options.SlowPolicy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What one subscription leaves out: when it must, up to where, and what its peer is told of it.
 *
 * <p><b>Thread-safety:</b> {@link #to}, {@link #giveWay} and {@link #lostLength} by anybody; the rest under the
 * {@link Sender}'s token.
 */
final class Skipping {
    private final Subscription subscription;
    private final Fanout fanout;
    private final Sender sender;
    private final Progress progress;
    private final Runnable leaveOut = this::leaveOut;
    private final Runnable giveWay = this::giveWayIfStuck;
    private final AtomicBoolean givingWay = new AtomicBoolean();
    /** Log position to go on at; not beyond the present one when there is nothing to leave out. */
    private volatile long target = -1;
    /** Bytes left out that the peer has not been told of. */
    private volatile long untold;

    private volatile long lostLength;

    Skipping(Subscription subscription, Fanout fanout, Sender sender, Progress progress) {
        this.subscription = subscription;
        this.fanout = fanout;
        this.sender = sender;
        this.progress = progress;
    }

    /** So many bytes are left out already, before the first turn. */
    void begin(long lost) {
        untold = lost;
    }

    // Any thread.

    /** Bytes left out that the peer has been told of. */
    long lostLength() {
        return lostLength;
    }

    /**
     * Goes on at {@code position} at least.
     *
     * @return false when another thread sends just now, or memory cannot be taken back
     */
    boolean to(long position) {
        target = position;
        sender.unpark(subscription);
        sender.signal(subscription);
        sender.tryRun(leaveOut);
        return progress.released() >= position;
    }

    /**
     * Goes on at the end, if what lies before {@code position} cannot be sent just now; else that is sent.
     *
     * @return true when nothing before {@code position} is held
     */
    boolean giveWay(long position) {
        if (givingWay.compareAndSet(false, true)) {
            sender.runWhenServed(giveWay);
        }
        return progress.released() >= position;
    }

    // Under the token.

    private void giveWayIfStuck() {
        givingWay.set(false);
        if (!mustGiveWay()) {
            return;
        }
        if (subscription.isParked() || sender.isBlocked()) {
            if (subscription.isStarved() || sender.isBlocked()) {
                toEnd();
            }
            sender.unpark(subscription);
            sender.signal(subscription);
        } else if (progress.hold().isInFlight()) {
            sender.withdraw();
        }
    }

    /** True when the owner must not wait for this subscription, and does. */
    boolean mustGiveWay() {
        return subscription.policy() == SlowPolicy.SKIP
                && fanout.options().flowControl()
                && progress.released() < fanout.wanted()
                && !subscription.ending().isSilent();
    }

    /** Goes on at the end. */
    void toEnd() {
        target = fanout.log().visibleEnd();
        leaveOut();
    }

    /** True when something is to be left out, or to be told. */
    boolean isDue() {
        return target > progress.position() || untold > 0;
    }

    /** Leaves out what is to be, and tells the peer; false when the transport takes nothing now. */
    boolean serve(int tag, Credit credit) {
        if (target > progress.position()) {
            leaveOut();
        }
        if (untold > 0) {
            if (!sender.sendGap(tag, credit.sentPosition(), untold)) {
                return false;
            }
            lostLength += untold;
            untold = 0;
        }
        return true;
    }

    /**
     * Leaves out everything before the target. Memory that committed writes use is free at once where the transport can
     * withdraw them, otherwise when they have completed.
     */
    private void leaveOut() {
        long position = target;
        target = -1;
        if (position > progress.released() && progress.hold().isInFlight()) {
            sender.withdraw();
        }
        untold += progress.leaveOut(position);
    }
}
