package io.rocketbufs.out;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;

/**
 * The rule that applies when one subscription is too slow. The rule implements all effects of the subscription's
 * policy.
 *
 * <table>
 * <caption>Rules</caption>
 * <tr><th></th><th>the producer needs memory that the subscription uses</th>
 * <th>the subscription consumes or completes nothing</th></tr>
 * <tr><td>{@link Block}</td><td>the producer waits</td><td>disconnected after the stall timeout</td></tr>
 * <tr><td>{@link Disconnect}</td><td>disconnected if it lags by too many bytes</td>
 * <td>disconnected after the lag or stall timeout</td></tr>
 * <tr><td>{@link Skip}</td><td>skips to the end if it cannot send immediately</td>
 * <td>disconnected after the write timeout if its writes occupy needed memory; skips to the end after the stall
 * timeout if the buffer has ended</td></tr>
 * <tr><td>{@link Overwrite}</td><td>skips the data in that memory</td><td>same as {@link Skip}</td></tr>
 * </table>
 *
 * <p><b>Thread-safety:</b> documented for each method. <b>Source:</b> RocketBufs 3.3 describes the first and the last
 * rule.
 */
interface SlowRule {
    /** Returns the rule for a subscription with the given policy. */
    static SlowRule of(Subscription subscription, Fanout fanout, SlowPolicy policy, long writeTimeoutMs) {
        if (fanout.owner().overwrites()) {
            return new Overwrite(subscription, fanout, writeTimeoutMs);
        }
        return switch (policy) {
            case BLOCK -> new Block(subscription, fanout);
            case DISCONNECT -> new Disconnect(subscription, fanout);
            case SKIP -> new Skip(subscription, fanout, writeTimeoutMs);
        };
    }

    /**
     * Called when the producer cannot continue until this subscription has passed {@link SpaceDemand#position()}. Any
     * thread.
     */
    void spaceWanted();

    /**
     * Releases memory that the producer is waiting for. Called under the token, even while the transport accepts
     * nothing.
     *
     * @return false if this method must be called again after this subscription has had a chance to send
     */
    default boolean relieve() {
        return true;
    }

    /**
     * Called under the token when a write has been refused or credit is missing. If the policy requires it, makes the
     * subscription skip data and returns true.
     */
    default boolean giveWay() {
        return false;
    }

    /** Returns true if the producer does not wait for this subscription. */
    default boolean yields() {
        return false;
    }

    /** Checks the limits after {@code elapsedMs} more milliseconds. Worker only. */
    void tick(long elapsedMs);

    /** The rule that makes the producer wait for the slowest subscription. */
    final class Block implements SlowRule {
        private final Subscription subscription;
        private final Fanout fanout;
        private final StallWatch stall = new StallWatch();

        Block(Subscription subscription, Fanout fanout) {
            this.subscription = subscription;
            this.fanout = fanout;
        }

        @Override
        public void spaceWanted() {
            // The producer waits.
        }

        @Override
        public void tick(long elapsedMs) {
            if (subscription.life().isSilent()) {
                return;
            }
            long end = fanout.log().visibleEnd();
            long from = fanout.awaitsConsumption(subscription) ? subscription.consumed() : subscription.released();
            long stalledMs = stall.look(elapsedMs, subscription.credit().activity(), from < end);
            if (stalledMs >= fanout.options().stallTimeoutMs()) {
                subscription.disconnect(
                        " consumed nothing for " + stalledMs + " ms while " + (end - from) + " bytes were waiting");
            }
        }
    }

    /** The rule that disconnects a subscription that lags by too many bytes or for too long. */
    final class Disconnect implements SlowRule {
        private final Subscription subscription;
        private final Fanout fanout;
        private final Block stalled;
        private final LagWatch lag = new LagWatch();

        Disconnect(Subscription subscription, Fanout fanout) {
            this.subscription = subscription;
            this.fanout = fanout;
            this.stalled = new Block(subscription, fanout);
        }

        @Override
        public void spaceWanted() {
            if (!subscription.life().isLive()) {
                return;
            }
            long limit = fanout.options().lagLimit();
            long pendingLength = subscription.pendingLength();
            if (limit > 0 && pendingLength > limit) {
                subscription.disconnect(" lags by " + pendingLength + " bytes, more than the limit of " + limit);
            }
        }

        @Override
        public void tick(long elapsedMs) {
            if (subscription.life().isSilent()) {
                return;
            }
            stalled.tick(elapsedMs);
            spaceWanted();
            long end = fanout.log().visibleEnd();
            long released = subscription.released();
            long lagMs = lag.look(elapsedMs, released, end);
            if (lagMs >= fanout.options().lagTimeoutMs()) {
                subscription.disconnect(" lags by " + lagMs + " ms and " + (end - released) + " bytes");
            }
        }
    }

    /**
     * The rule that makes a subscription skip to the end when the producer waits for it, unless it can send
     * immediately. If the transport cannot withdraw writes in flight, and they do not complete within the write
     * timeout, the connection is closed to free their memory.
     */
    class Skip implements SlowRule {
        final Subscription subscription;
        final Fanout fanout;
        private final BufferOptions options;
        private final long writeTimeoutMs;
        private final StallWatch inFlight = new StallWatch();
        private final StallWatch ended = new StallWatch();
        /** The subscription's released position when its writes exceeded the write timeout; -1 if they have not. */
        private volatile long overdueAt = -1;

        private volatile long overdueMs;

        Skip(Subscription subscription, Fanout fanout, long writeTimeoutMs) {
            this.subscription = subscription;
            this.fanout = fanout;
            this.options = fanout.options();
            this.writeTimeoutMs = writeTimeoutMs;
        }

        @Override
        public final void spaceWanted() {
            subscription.link().sender().relieve(subscription);
        }

        @Override
        public final boolean relieve() {
            if (overdueAt >= 0) {
                disconnectIfStillInFlight();
            }
            return !subscription.isInTheWay() || relieveNow();
        }

        /** Releases as much memory as possible, because the producer waits for this subscription. */
        boolean relieveNow() {
            if (subscription.isStuck()) {
                subscription.skipToEnd();
                return true;
            }
            return subscription.sendOrWithdraw();
        }

        @Override
        public boolean giveWay() {
            if (!subscription.isInTheWay()) {
                return false;
            }
            subscription.skipToEnd();
            return true;
        }

        @Override
        public final boolean yields() {
            return true;
        }

        @Override
        public final void tick(long elapsedMs) {
            if (fanout.isEnded()) {
                endInTime(elapsedMs);
            } else if (!subscription.link().capabilities().withdraws()) {
                watchInFlight(elapsedMs);
            }
        }

        /**
         * Limits how long a reader of an ended buffer can keep the buffer's id and memory. No other limit applies to
         * such a reader.
         */
        private void endInTime(long elapsedMs) {
            boolean waits = subscription.released() < fanout.endPosition();
            if (ended.look(elapsedMs, subscription.credit().activity(), waits) >= options.stallTimeoutMs()) {
                subscription.requestSkip();
            }
        }

        private void watchInFlight(long elapsedMs) {
            long released = subscription.released();
            long heldMs = inFlight.look(elapsedMs, released, subscription.isInTheWay());
            if (heldMs >= writeTimeoutMs) {
                // Which writes are in flight is known only under the token.
                overdueMs = heldMs;
                overdueAt = released;
                subscription.link().sender().relieve(subscription);
            }
        }

        private void disconnectIfStillInFlight() {
            boolean still = subscription.released() == overdueAt
                    && subscription.stream().isInFlight();
            overdueAt = -1;
            if (still) {
                subscription.disconnect(" holds " + (fanout.demand().position() - subscription.released())
                        + " bytes that the producer needs: writes to it have not completed for " + overdueMs
                        + " ms");
            }
        }
    }

    /**
     * The rule for a producer that never waits: a subscription that still uses memory about to be overwritten skips the
     * data in that memory.
     */
    final class Overwrite extends Skip {
        Overwrite(Subscription subscription, Fanout fanout, long writeTimeoutMs) {
            super(subscription, fanout, writeTimeoutMs);
        }

        @Override
        boolean relieveNow() {
            subscription.skipTo(fanout.demand().position());
            return true;
        }

        @Override
        public boolean giveWay() {
            return false;
        }
    }
}
