package io.rocketbufs.session;

import io.rocketbufs.buffer.WaitMeter;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.out.SlowWatch;
import io.rocketbufs.out.Subscription;
import io.rocketbufs.rocketnet.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The watches of one connection's subscriptions.
 *
 * <pre>
 *            at a tick, a producer waits
 *   IDLE --------------------------------------&gt; SAMPLING: every 100 ms
 *     ^                                              |
 *     +--- no producer waits, no episode is open ----+
 * </pre>
 *
 * A late sample says little about the peers: this worker was busy, or the process was suspended. At most 100 ms of the
 * time since the last sample count. If at least 200 ms have passed since then, they count only for a subscription that
 * has released nothing at all. An episode requires two samples, so one pause of this process cannot begin it.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class SlowWatches {
    private final Worker worker;
    private final LongSupplier clockNs;
    private final Map<Subscription, SlowWatch> watches = new HashMap<>();
    /** The watches as an array, which stays unchanged while listeners end watches; null after a change. */
    private SlowWatch[] array = {};

    private long lastNumber;
    private boolean sampling;
    private long lastSampleNs;

    /** @param clockNs a clock in nanoseconds */
    SlowWatches(Worker worker, LongSupplier clockNs) {
        this.worker = worker;
        this.clockNs = clockNs;
    }

    /** Watches a subscription until it is removed. */
    void add(Subscription subscription, Consumer<SlowState> listener) {
        watches.put(subscription, new SlowWatch(subscription, ++lastNumber, listener));
        array = null;
    }

    /** Ends the watch of a subscription, if there is one. */
    void remove(Subscription subscription) {
        SlowWatch watch = watches.remove(subscription);
        if (watch != null) {
            array = null;
            watch.end();
        }
    }

    /** Called when the connection's clock ticks. */
    void tick() {
        if (!sampling && sample(0, false)) {
            sampling = true;
            lastSampleNs = clockNs.getAsLong();
            scheduleSample();
        }
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
        if (array == null) {
            array = watches.values().toArray(SlowWatch[]::new);
        }
        boolean goesOn = false;
        for (SlowWatch watch : array) {
            goesOn |= watch.sample(countedMs, late);
        }
        return goesOn;
    }
}
