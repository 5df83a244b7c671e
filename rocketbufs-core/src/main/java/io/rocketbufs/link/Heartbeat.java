package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.Worker;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The timer of one connection: pings the peer when nothing else is sent, and ends the connection when the peer is
 * silent or sends no greeting.
 *
 * <p>Time during which this process itself was suspended does not count against the peer: a tick never counts for more
 * than twice the tick interval, and data that the peer sent during the suspension is read before the next tick.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
public final class Heartbeat {
    /**
     * Longest interval that is accepted regardless of the timeout. With a longer one, a dead peer would go unnoticed
     * for minutes.
     */
    private static final long LONGEST_INTERVAL_MS = 60_000;
    /** Longest time between two ticks: waits for credit must be noticed within about a second. */
    private static final long LONGEST_TICK_MS = 500;
    /**
     * Number of instants within a tick interval at which connections tick. If there were only one, the ticks of all
     * connections would delay a worker's data at the same time; if each connection had its own, each would wake the
     * worker.
     */
    private static final long PHASES = 8;

    private final Link link;
    private final Times times;
    private final Runnable ping;
    private final LongConsumer onTick;
    private final LongSupplier clockNs;
    /** Longest time between two ticks: a multiple of {@link #phaseMs}. */
    private final long tickMs;
    /** All ticks fall on a multiple of this time, in milliseconds of {@link System#nanoTime}. */
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
     * @param intervalMs longest time that this side goes without sending anything
     * @param silenceMs a peer that is silent for this long is considered dead
     * @param greetingMs how long the peer may take to send its greeting
     */
    public record Times(int intervalMs, long silenceMs, long greetingMs) {}

    /**
     * Creates a timer that is not started.
     *
     * @param ping sends a heartbeat
     * @param onTick called with the milliseconds since the last call, at least four times in each interval and twice in
     *     each second
     */
    public Heartbeat(Link link, Times times, Runnable ping, LongConsumer onTick) {
        this(link, times, ping, onTick, System::nanoTime);
    }

    /** Creates a timer with another clock than {@link System#nanoTime}. */
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
     * @param peerIntervalMs longest time that the peer goes without sending anything
     * @throws TransportException with code PROTOCOL when the interval is so long that a dead peer would go unnoticed
     *     for minutes
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
     * Returns true during a tick that has come so late that this process must have been busy or suspended, and has not
     * served the peer.
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
        // Scheduled first: the timer must continue even if one of the following calls fails.
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
        // The last message may have been sent up to a tick before it was noticed, and the next tick may be too late.
        if (unsentMs > times.intervalMs() - 2 * tickMs && greeted) {
            ping.run();
            unsentMs = 0;
        }
    }
}
