package io.rocketbufs.out;

import io.rocketbufs.buffer.WaitMeter;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SlowState.Phase;
import java.util.function.Consumer;

/**
 * A watch that reports when one subscription delays its producer, and when the delay is over. The producer waits for a
 * subscription only while it needs memory that the subscription still uses. A subscription is not reported if it merely
 * lags behind, or if it has released everything that the producer waits for.
 *
 * <p>If the buffer is filled from another buffer, the watch concerns that buffer's producer: see {@link Origin}.
 *
 * <p><b>Thread-safety:</b> used only on the worker of the subscription's connection.
 */
public final class SlowWatch {
    private final Subscription subscription;
    private final Fanout fanout;
    private final Origin origin;
    private final long number;
    private final Consumer<SlowState> listener;
    private final Runnable onDelay;
    private final WaitMeter meter;
    private final SlowEpisode episode;
    /** The producer's {@link FanoutOwner#waitCount()} at the last sample. */
    private long waitCount;

    private boolean ended;

    /**
     * Creates the only watch of a subscription.
     *
     * @param number identifies the subscription in the reports
     * @param listener called at the beginning of an episode, with each sample during it, and at its end
     * @param onDelay run, by any thread, when a producer in another process reports that it waits for the subscription
     */
    public SlowWatch(Subscription subscription, long number, Consumer<SlowState> listener, Runnable onDelay) {
        this.subscription = subscription;
        this.fanout = subscription.fanout();
        this.origin = fanout.demand().origin();
        this.number = number;
        this.listener = listener;
        this.onDelay = onDelay;
        this.meter = new WaitMeter(
                origin == null
                        ? fanout.memory().capacity() - fanout.owner().keep(fanout.options())
                        : origin.capacity());
        this.episode = subscription.meters().episode();
        this.waitCount = waitCount();
        if (origin == null) {
            subscription.meters().setDelayTask(onDelay);
        } else {
            origin.addDelayTask(onDelay);
        }
    }

    /**
     * Called on any thread when the producer of a buffer has begun to wait. The subscriptions in the producer's way are
     * then sampled without waiting for a tick. This includes the subscriptions to buffers that are filled from this
     * one.
     */
    public static void onProducerWaits(Fanout fanout) {
        fanout.demand().onProducerWaits();
        for (Subscription subscription : fanout.subscriptions()) {
            if (subscription.isInTheWay()) {
                subscription.meters().onDelay();
            }
        }
    }

    private long waitCount() {
        return origin == null ? fanout.owner().waitCount() : origin.waitCount();
    }

    private boolean isWaiting() {
        return origin == null ? fanout.owner().isWaiting() : origin.isWaiting();
    }

    /**
     * Takes a sample.
     *
     * @param elapsedMs number of milliseconds to count since the last sample; 0 if this time must not be counted
     * @param late true to count this time only if the subscription has released nothing since the last sample
     * @return true if the producer waits or an episode is open, so that further samples are necessary
     */
    public boolean sample(long elapsedMs, boolean late) {
        if (ended) {
            return false;
        }
        long count = waitCount();
        boolean waits = count != waitCount || isWaiting();
        waitCount = count;
        return origin == null ? sampleOwn(elapsedMs, late, waits) : sampleOrigin(elapsedMs, late, waits);
    }

    private boolean sampleOwn(long elapsedMs, boolean late, boolean waits) {
        boolean consumes = waits && fanout.demand().position() != 0 && fanout.awaitsConsumption(subscription);
        long freed = consumes ? subscription.consumed() : subscription.released();
        boolean delays = waits && (consumes || subscription.isInTheWay());
        return advance(elapsedMs, late, freed, delays, fanout.log().visibleEnd() - freed);
    }

    private boolean sampleOrigin(long elapsedMs, boolean late, boolean waits) {
        long pendingLength = fanout.log().visibleEnd() - subscription.consumed();
        boolean delays = waits && pendingLength > 0 && origin.isHeldUp();
        return advance(elapsedMs, late, origin.released(), delays, pendingLength);
    }

    private boolean advance(long elapsedMs, boolean late, long freed, boolean delays, long pendingLength) {
        long countedMs = late && freed != meter.position() ? 0 : elapsedMs;
        long delayMs = meter.sample(countedMs, freed, delays);
        switch (episode.advance(countedMs, delayMs, pendingLength)) {
            case BEGAN -> report(Phase.BEGAN, pendingLength);
            case ENDED -> report(Phase.RECOVERED, pendingLength);
            default -> {
                if (episode.isSlow()) {
                    report(Phase.CONTINUES, pendingLength);
                }
            }
        }
        return !ended && (delays || episode.isSlow());
    }

    /**
     * Ends the watch because the subscription has ended; later samples have no effect. Reports recovery if the producer
     * no longer waits, or if the buffer has ended and the subscription has sent everything.
     */
    public void end() {
        ended = true;
        if (origin == null) {
            subscription.meters().setDelayTask(null);
        } else {
            origin.removeDelayTask(onDelay);
        }
        boolean delayed = episode.isDelaying()
                && !(fanout.isEnded() && subscription.life().undelivered() == 0);
        if (episode.end() == SlowEpisode.Change.ENDED) {
            report(delayed ? Phase.UNSUBSCRIBED : Phase.RECOVERED, subscription.pendingLength());
        }
    }

    private void report(Phase phase, long pendingLength) {
        listener.accept(new SlowState(number, phase, subscription.meters().policy(), pendingLength, episode.delayMs()));
    }
}
