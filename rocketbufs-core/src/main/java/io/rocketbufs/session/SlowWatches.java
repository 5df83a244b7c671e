package io.rocketbufs.session;

import io.rocketbufs.buffer.WaitMeter;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.out.LossWatch;
import io.rocketbufs.out.SlowWatch;
import io.rocketbufs.out.Subscription;
import io.rocketbufs.rocketnet.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The watches of one connection's subscriptions. Watches for lost data check their counters at each tick. Watches for
 * delays take samples only while a producer waits:
 *
 * <pre>
 *            at a tick, a producer waits;
 *            a producer reports that it waits
 *   IDLE --------------------------------------&gt; SAMPLING: every 100 ms
 *     ^                                              |
 *     +--- no producer waits, no episode is open ----+
 * </pre>
 *
 * A producer that is faster than its subscriber begins to wait thousands of times per second. Therefore, a report that
 * a producer waits has no effect in SAMPLING, which lasts for at least one interval.
 *
 * <p>A late sample says little about the peers, because it is late only if this worker was busy or the process was
 * suspended. At most 100 ms of the time since the last sample are counted. If at least 200 ms have passed, this time is
 * counted only for a subscription that has released nothing since the last sample. An episode requires two samples, so
 * a single pause of this process cannot begin one.
 *
 * <p><b>Thread-safety:</b> used on the connection's worker.
 */
final class SlowWatches {
    private final Worker worker;
    private final LongSupplier clockNs;
    private final Map<Subscription, Pair> watches = new HashMap<>();
    /** A snapshot of the watches, which does not change while listeners end watches; null after a change. */
    private Pair[] array = {};

    private long lastNumber;
    /** Written only by the worker. */
    private volatile boolean sampling;
    /** True while a task that begins sampling is queued on the worker. */
    private volatile boolean beginning;

    private long lastSampleNs;

    private record Pair(SlowWatch slow, LossWatch loss) {
        /** Ends both watches. */
        private void end() {
            try {
                slow.end();
            } finally {
                loss.end();
            }
        }
    }

    /** @param clockNs a clock in nanoseconds */
    SlowWatches(Worker worker, LongSupplier clockNs) {
        this.worker = worker;
        this.clockNs = clockNs;
    }

    /** Watches a subscription until it is removed. */
    void add(Subscription subscription, Consumer<SlowState> onSlow, Consumer<LossState> onLoss) {
        long number = ++lastNumber;
        watches.put(
                subscription,
                new Pair(
                        new SlowWatch(subscription, number, onSlow, this::look),
                        new LossWatch(subscription, number, onLoss)));
        array = null;
    }

    /** Ends the watches of a subscription, if there are any. */
    void remove(Subscription subscription) {
        Pair pair = watches.remove(subscription);
        if (pair != null) {
            array = null;
            pair.end();
        }
    }

    /** Called when the connection's clock ticks, {@code elapsedMs} milliseconds after the last call. */
    void tick(long elapsedMs) {
        for (Pair pair : pairs()) {
            pair.loss().tick(elapsedMs);
        }
        if (!sampling && sample(0, false)) {
            begin();
        }
    }

    /** Called when a producer has begun to wait for one of the subscriptions. Any thread. */
    private void look() {
        if (!sampling && !beginning) {
            beginning = true;
            worker.execute(this::onLook);
        }
    }

    private void onLook() {
        beginning = false; // if a sample throws, the next call of look() restarts sampling
        if (!sampling) {
            sample(0, false);
            begin();
        }
    }

    private void begin() {
        sampling = true;
        lastSampleNs = clockNs.getAsLong();
        scheduleSample();
    }

    private void scheduleSample() {
        worker.schedule(this::onTimer, WaitMeter.SAMPLE_MS);
    }

    private void onTimer() {
        long now = clockNs.getAsLong();
        long elapsedMs = TimeUnit.NANOSECONDS.toMillis(now - lastSampleNs);
        lastSampleNs = now;
        sampling = false; // if a sample throws, the next tick restarts sampling
        sampling = sample(Math.min(elapsedMs, WaitMeter.SAMPLE_MS), elapsedMs >= 2 * WaitMeter.SAMPLE_MS);
        if (sampling) {
            scheduleSample();
        }
    }

    /** Returns true if further samples are necessary. */
    private boolean sample(long countedMs, boolean late) {
        boolean goesOn = false;
        for (Pair pair : pairs()) {
            goesOn |= pair.slow().sample(countedMs, late);
        }
        return goesOn;
    }

    private Pair[] pairs() {
        if (array == null) {
            array = watches.values().toArray(Pair[]::new);
        }
        return array;
    }
}
