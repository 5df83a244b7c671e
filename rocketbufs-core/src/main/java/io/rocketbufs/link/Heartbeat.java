package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The timer of one connection. Pings the peer if nothing else is sent. Ends the connection if the peer is silent or
 * does not send its greeting in time.
 *
 * <p>Time during which this process was suspended does not count against the peer: a tick never counts for more than
 * twice the tick interval. Data that the peer sent during the suspension is read before the next tick.
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
    private final LongConsumer onTick;
    private final LongSupplier clockNs;
    /** Longest time between two ticks: a multiple of {@link #phaseMs}. */
    private final long tickMs;
    /** All ticks occur at multiples of this time, in milliseconds of {@link System#nanoTime}. */
    private final long phaseMs;

    private long lastTickNs;
    private long lastSentCount;
    private long unsentMs;
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
     * Creates a timer that is not started.
     *
     * @param ping sends a heartbeat
     * @param onTick called with the number of milliseconds since the last call, at least four times per interval and
     *     twice per second
     */
    public Heartbeat(Link link, Times times, Runnable ping, LongConsumer onTick) {
        this(link, times, ping, onTick, System::nanoTime);
    }

    /** Creates a timer with a clock other than {@link System#nanoTime}. */
    Heartbeat(Link link, Times times, Runnable ping, LongConsumer onTick, LongSupplier clockNs) {
        this.link = link;
        this.times = times;
        this.ping = ping;
        this.onTick = onTick;
        this.clockNs = clockNs;
        this.lastTickNs = clockNs.getAsLong();
        long longestMs = Math.max(1, Math.min(times.intervalMs() / 4, LONGEST_TICK_MS));
        this.phaseMs = Math.max(1, longestMs / PHASES);
        this.tickMs = longestMs / phaseMs * phaseMs;
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
        long sinceLastMs = TimeUnit.NANOSECONDS.toMillis(now - lastTickNs);
        long elapsedMs = Math.min(sinceLastMs, 2 * tickMs);
        late = sinceLastMs > tickMs + tickMs / 2;
        lastTickNs = now;
        // Schedule the next tick first: the timer must continue even if one of the following calls fails.
        scheduleTick(now);
        checkPeer(elapsedMs);
        pingIfDue(elapsedMs);
        onTick.accept(elapsedMs);
    }

    private void scheduleTick(long nowNs) {
        long phaseNs = TimeUnit.MILLISECONDS.toNanos(phaseMs);
        long dueNs = Math.floorDiv(nowNs + TimeUnit.MILLISECONDS.toNanos(tickMs), phaseNs) * phaseNs;
        link.worker().schedule(this::tick, TimeUnit.NANOSECONDS.toMillis(dueNs - Worker.dueNs(nowNs, 0)));
    }

    private void checkPeer(long elapsedMs) {
        // A greeting is short: bytes that arrive one at a time do not extend its time limit.
        silentMs = heard && greeted ? 0 : silentMs + elapsedMs;
        heard = false;
        long limitMs = greeted ? Math.max(times.silenceMs(), 3 * peerIntervalMs) : times.greetingMs();
        if (silentMs >= limitMs) {
            String what = greeted
                    ? ": no data received for " + limitMs + " ms"
                    : " sent no greeting within " + limitMs + " ms; it may not speak the protocol of RocketBufs";
            link.fail(new TransportException(TransportException.Code.TIMEOUT, link.peer() + what));
        }
    }

    private void pingIfDue(long elapsedMs) {
        long sentCount = link.sender().sentCount();
        unsentMs = sentCount == lastSentCount ? unsentMs + elapsedMs : 0;
        lastSentCount = sentCount;
        // The last message may have been sent up to one tick before it was detected, and the next tick may come too
        // late.
        if (unsentMs > times.intervalMs() - 2 * tickMs && greeted) {
            ping.run();
            unsentMs = 0;
        }
    }
}
