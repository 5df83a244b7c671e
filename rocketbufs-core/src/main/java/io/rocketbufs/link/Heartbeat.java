package io.rocketbufs.link;

import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * The clock of one connection: pings the peer when nothing else is sent, and ends the connection when the peer is
 * silent or does not greet.
 *
 * <p>Time that passed while this process itself stood still does not count against the peer: a tick counts for at most
 * twice its interval, and what the peer sent in the meantime is read before the next.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
public final class Heartbeat {
    /** A peer that may be silent for longer could be dead for minutes before that shows. */
    private static final long LONGEST_INTERVAL_MS = 60_000;

    private final Link link;
    private final Times times;
    private final Runnable ping;
    private final LongConsumer onTick;
    private final long intervalMs;
    private long lastTickNs = System.nanoTime();
    private long lastSentCount;
    private long unsentMs;
    private long silentMs;
    private boolean heard;
    private boolean greeted;
    private boolean stopped;
    private long peerIntervalMs;

    /**
     * Times in milliseconds.
     *
     * @param intervalMs something is sent at least this often
     * @param silenceMs a peer that is silent for this long is dead
     * @param greetingMs a peer must have greeted by then
     */
    public record Times(int intervalMs, long silenceMs, long greetingMs) {}

    /**
     * Makes a clock that does not run yet.
     *
     * @param ping sends a sign of life
     * @param onTick called with the milliseconds since the last call, four times in each interval
     */
    public Heartbeat(Link link, Times times, Runnable ping, LongConsumer onTick) {
        this.link = link;
        this.times = times;
        this.ping = ping;
        this.onTick = onTick;
        this.intervalMs = Math.max(1, times.intervalMs() / 4);
    }

    /** Starts the clock. */
    public void start() {
        link.worker().schedule(this::tick, intervalMs);
    }

    /** Stops the clock. */
    public void stop() {
        stopped = true;
    }

    /** Notes that something arrived, even a part of a write. */
    public void heard() {
        heard = true;
    }

    /**
     * Notes the peer's greeting.
     *
     * @param peerIntervalMs how often the peer sends something at least
     * @throws TransportException with code PROTOCOL when that is so rare that a dead peer would not be noticed for
     *     minutes
     */
    public void greeted(int peerIntervalMs) {
        long longestMs = Math.max(LONGEST_INTERVAL_MS, times.silenceMs());
        if (peerIntervalMs > longestMs) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + " announces heartbeatMs=" + peerIntervalMs + ", more than " + longestMs
                            + ": set its rocketbufs.heartbeat-interval lower");
        }
        this.peerIntervalMs = peerIntervalMs;
        greeted = true;
    }

    private void tick() {
        if (stopped) {
            return;
        }
        long now = System.nanoTime();
        long elapsedMs = Math.min(TimeUnit.NANOSECONDS.toMillis(now - lastTickNs), 2 * intervalMs);
        lastTickNs = now;
        // First: the clock must go on even if one of these fails.
        link.worker().schedule(this::tick, intervalMs);
        checkPeer(elapsedMs);
        pingIfDue(elapsedMs);
        onTick.accept(elapsedMs);
    }

    private void checkPeer(long elapsedMs) {
        // A greeting is short: bytes that come one by one do not buy time for it.
        silentMs = heard && greeted ? 0 : silentMs + elapsedMs;
        heard = false;
        long limitMs = greeted ? Math.max(times.silenceMs(), 3 * peerIntervalMs) : times.greetingMs();
        if (silentMs >= limitMs) {
            String what = greeted ? "nothing heard of it for " : "did not greet within ";
            link.fail(new TransportException(
                    TransportException.Code.TIMEOUT, link.peer() + ": " + what + limitMs + " ms"));
        }
    }

    private void pingIfDue(long elapsedMs) {
        long sentCount = link.sender().sentCount();
        unsentMs = sentCount == lastSentCount ? unsentMs + elapsedMs : 0;
        lastSentCount = sentCount;
        if (unsentMs >= times.intervalMs() - intervalMs && greeted) {
            ping.run();
            unsentMs = 0;
        }
    }
}
