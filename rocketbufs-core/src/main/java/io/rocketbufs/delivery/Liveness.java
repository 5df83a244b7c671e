package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.TimeUnit;

/**
 * Watches the clock for one connection: sends a ping when nothing else is sent, and finds out that a peer is silent,
 * does not greet, or consumes nothing while others wait.
 *
 * <p>Time that passed while this process itself stood still does not count against the peer: a tick counts for at most
 * twice its interval, and what the peer sent meanwhile is read before the next.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class Liveness {
    private final Endpoint endpoint;
    private final EndpointSettings settings;
    private final long intervalMs;
    private long lastTickNs = System.nanoTime();
    private long lastSentCount;
    private long lastHeardCount;
    private long unsentMs;
    private long silentMs;
    private long peerHeartbeatMs;

    Liveness(Endpoint endpoint, EndpointSettings settings) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.intervalMs = Math.max(1, settings.heartbeatMs() / 4);
    }

    void start() {
        endpoint.worker().schedule(this::tick, intervalMs);
    }

    void setPeerHeartbeatMs(long peerHeartbeatMs) {
        this.peerHeartbeatMs = peerHeartbeatMs;
    }

    private void tick() {
        if (endpoint.isClosed()) {
            return;
        }
        long now = System.nanoTime();
        long elapsedMs = Math.min(TimeUnit.NANOSECONDS.toMillis(now - lastTickNs), 2 * intervalMs);
        lastTickNs = now;
        // First, for the clock must go on whatever fails.
        endpoint.worker().schedule(this::tick, intervalMs);
        checkPeer(elapsedMs);
        ping(elapsedMs);
        endpoint.tick(elapsedMs);
    }

    private void checkPeer(long elapsedMs) {
        boolean heard = endpoint.heardCount() != lastHeardCount;
        lastHeardCount = endpoint.heardCount();
        // A greeting is short: bytes that come one by one do not buy time for it.
        silentMs = heard && endpoint.isGreeted() ? 0 : silentMs + elapsedMs;
        long limitMs =
                endpoint.isGreeted() ? Math.max(settings.silenceMs(), 3 * peerHeartbeatMs) : settings.greetingMs();
        if (silentMs >= limitMs) {
            String what = endpoint.isGreeted() ? "nothing heard of it for " : "did not greet within ";
            endpoint.fail(new TransportException(
                    TransportException.Code.TIMEOUT, endpoint.peer() + ": " + what + limitMs + " ms"));
        }
    }

    private void ping(long elapsedMs) {
        long sentCount = endpoint.sender().sentCount();
        unsentMs = sentCount == lastSentCount ? unsentMs + elapsedMs : 0;
        lastSentCount = sentCount;
        if (unsentMs >= settings.heartbeatMs() - intervalMs && endpoint.isGreeted()) {
            endpoint.controls().ping();
            unsentMs = 0;
        }
    }
}
