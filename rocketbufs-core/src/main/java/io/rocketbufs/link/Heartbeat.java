package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The timer of one connection. Pings the peer if nothing else is sent. Ends the connection if the peer is silent or
 * does not send its greeting in time.
 *
 * <p>A connection without buffers has nothing to observe but the peer's silence, so it ticks only a quarter as often,
 * just in time for each ping, until a longer tick could notice the silence too late. On a broker with many idle
 * clients, ticks and the wake-ups for them are most of the work.
 *
 * <p>Time during which this process was suspended does not count against the peer: a tick never counts for more than
 * twice the tick interval or, on a connection without buffers, once. Data that the peer sent during the suspension is
 * read before the next tick.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
public final class Heartbeat {
    /**
     * Longest peer interval that is accepted regardless of the timeout. With a longer interval, a dead peer would go
     * unnoticed for minutes.
     */
    private static final long LONGEST_INTERVAL_MS = 60_000;
    /** Longest time between two ticks: waits for credit must be detected within about a second. */
    private static final long LONGEST_TICK_MS = 500;
    /**
     * Number of points in time within a tick interval at which connections tick. If all connections ticked at one
     * point, their ticks would delay a worker's data at the same time. If each connection ticked at a different point,
     * each would wake the worker separately.
     */
    private static final long PHASES = 8;

    private final Link link;
    private final Times times;
    private final Runnable ping;
    private final LongPredicate onTick;
    private final LongSupplier clockNs;
    private final Pace busy;
    private final Pace idle;

    /** Determines the time of the next tick. */
    private Pace pace;

    private Future<?> nextTick;
    /** True if the next tick comes early, because the connection may have its first buffer. */
    private boolean early;

    private long lastTickNs;
    private long lastSentCount;
    /** Earliest time at which the last message may have been sent. */
    private long unsentSinceNs;

    private long silentMs;
    private boolean heard;
    private boolean greeted;
    private boolean stopped;
    private boolean late;
    private long peerIntervalMs;

    /**
     * The times of a heartbeat, in milliseconds.
     *
     * @param intervalMs longest time for which this side sends nothing
     * @param silenceMs silence after which the peer is considered dead
     * @param greetingMs time within which the peer must send its greeting
     */
    public record Times(int intervalMs, long silenceMs, long greetingMs) {}

    /**
     * How often a connection ticks, in milliseconds.
     *
     * @param tickMs longest time between two ticks: a multiple of {@code phaseMs}
     * @param phaseMs all ticks occur at multiples of this time, in milliseconds of {@link System#nanoTime}
     */
    private record Pace(long tickMs, long phaseMs) {
        /** Returns the time of the tick after a tick at {@code nowNs}. */
        long dueNs(long nowNs) {
            long phaseNs = TimeUnit.MILLISECONDS.toNanos(phaseMs);
            return Math.floorDiv(nowNs + TimeUnit.MILLISECONDS.toNanos(tickMs), phaseNs) * phaseNs;
        }
    }

    /**
     * Creates a timer that is not started.
     *
     * @param ping sends a heartbeat
     * @param onTick called with the number of milliseconds since the last call; returns true if the connection has
     *     buffers. It is called at least four times per interval and twice per second while the connection has buffers,
     *     otherwise at least a quarter as often
     */
    public Heartbeat(Link link, Times times, Runnable ping, LongPredicate onTick) {
        this(link, times, ping, onTick, System::nanoTime);
    }

    /** Creates a timer with a clock other than {@link System#nanoTime}. */
    Heartbeat(Link link, Times times, Runnable ping, LongPredicate onTick, LongSupplier clockNs) {
        this.link = link;
        this.times = times;
        this.ping = ping;
        this.onTick = onTick;
        this.clockNs = clockNs;
        this.lastTickNs = clockNs.getAsLong();
        this.unsentSinceNs = lastTickNs;
        long longestMs = Math.max(1, Math.min(times.intervalMs() / 4, LONGEST_TICK_MS));
        long phaseMs = Math.max(1, longestMs / PHASES);
        this.busy = new Pace(longestMs / phaseMs * phaseMs, phaseMs);
        this.idle = 4 * busy.tickMs() <= times.intervalMs() ? new Pace(4 * busy.tickMs(), 4 * phaseMs) : busy;
        this.pace = busy;
    }

    /** Starts the timer. */
    public void start() {
        scheduleTick(lastTickNs);
    }

    /** Stops the timer. */
    public void stop() {
        stopped = true;
    }

    /** Records that data has arrived, even if it is only part of a write. */
    public void heard() {
        heard = true;
    }

    /**
     * Records the peer's greeting.
     *
     * @param peerIntervalMs longest time for which the peer sends nothing
     * @throws TransportException with code PROTOCOL if the interval is so long that a dead peer would go unnoticed for
     *     minutes
     */
    public void greeted(int peerIntervalMs) {
        long longestMs = Math.max(LONGEST_INTERVAL_MS, times.silenceMs());
        if (peerIntervalMs > longestMs) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + " announces heartbeatMs=" + peerIntervalMs + ", more than " + longestMs
                            + ": lower the peer's rocketbufs.heartbeat-interval");
        }
        this.peerIntervalMs = peerIntervalMs;
        greeted = true;
    }

    /**
     * Called when the connection may have its first buffer, in response to a message from the peer. The next tick then
     * comes immediately instead of at the end of a long interval.
     */
    public void onBuffer() {
        if (pace == idle && idle != busy && !early && !stopped) {
            early = true;
            nextTick.cancel(false);
            nextTick = link.worker().schedule(this::tick, 0);
        }
    }

    /**
     * Returns true during a tick that is so late that this process must have been busy or suspended. In this case, the
     * process has not served the peer.
     */
    public boolean isLate() {
        return late;
    }

    private void tick() {
        if (stopped) {
            return;
        }
        long now = clockNs.getAsLong();
        long previousNs = lastTickNs;
        lastTickNs = now;
        long sinceLastMs = TimeUnit.NANOSECONDS.toMillis(now - previousNs);
        long elapsedMs = Math.min(sinceLastMs, pace == idle ? idle.tickMs() : 2 * busy.tickMs());
        early = false;
        late = sinceLastMs > pace.tickMs() + pace.tickMs() / 2;
        boolean isIdle = false;
        try {
            checkPeer(elapsedMs);
            // The first buffer may be new: a long tick does not count for more than a short one.
            boolean hasBuffers = onTick.test(pace == idle ? Math.min(elapsedMs, busy.tickMs()) : elapsedMs);
            isIdle = !hasBuffers && greeted && limitMs() - silentMs > idle.tickMs();
        } finally {
            // The timer must continue even if one of these calls fails.
            pace = isIdle ? idle : busy;
            scheduleTick(now);
            pingIfDue(previousNs, now);
        }
    }

    private void scheduleTick(long nowNs) {
        // The delay counts from the current time: this tick may have taken long.
        long delayNs = pace.dueNs(nowNs) - Worker.dueNs(clockNs.getAsLong(), 0);
        nextTick = link.worker().schedule(this::tick, Math.max(0, TimeUnit.NANOSECONDS.toMillis(delayNs)));
    }

    private void checkPeer(long elapsedMs) {
        // A greeting is short: bytes that arrive one at a time do not extend its time limit.
        silentMs = heard && greeted ? 0 : silentMs + elapsedMs;
        heard = false;
        if (silentMs >= limitMs()) {
            String what = greeted
                    ? ": no data received for " + limitMs() + " ms"
                    : " sent no greeting within " + limitMs() + " ms; it may not speak the protocol of RocketBufs";
            link.fail(new TransportException(TransportException.Code.TIMEOUT, link.peer() + what));
        }
    }

    /** Returns the duration of silence after which the connection ends. */
    private long limitMs() {
        return greeted ? Math.max(times.silenceMs(), 3 * peerIntervalMs) : times.greetingMs();
    }

    private void pingIfDue(long previousNs, long nowNs) {
        long sentCount = link.sender().sentCount();
        if (sentCount != lastSentCount) {
            unsentSinceNs = previousNs;
        }
        lastSentCount = sentCount;
        // If the next tick is late, this interval may be exceeded by as much; the peer tolerates three intervals.
        long nextMs = TimeUnit.NANOSECONDS.toMillis(pace.dueNs(nowNs) - unsentSinceNs);
        if (nextMs >= times.intervalMs() && greeted) {
            ping.run();
            unsentSinceNs = nowNs;
        }
    }
}
