package io.rocketbufs.delivery;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;

/**
 * Watches for a subscription whose writes on their way keep memory in use that its producer needs and must not have to
 * wait for: the policy is {@link SlowPolicy#SKIP}, or the buffer is overwriting. Where the transport cannot withdraw
 * them, nothing but the end of the connection gives the memory back; so that comes when nothing has completed for too
 * long.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class HoldWatch {
    private final Subscription subscription;
    private final boolean needed;
    private final long timeoutMs;
    private final StallWatch stall = new StallWatch();

    HoldWatch(Subscription subscription, BufferOptions options, long timeoutMs) {
        this.subscription = subscription;
        this.needed = !subscription.endpoint().connection().capabilities().withdraws()
                && (!options.flowControl() || subscription.policy() == SlowPolicy.SKIP);
        this.timeoutMs = timeoutMs;
    }

    /** Looks after {@code elapsedMs} more. */
    void look(long elapsedMs) {
        if (!needed) {
            return;
        }
        long released = subscription.released();
        long length = subscription.lengthInTheWay();
        long heldMs = stall.look(elapsedMs, released, length > 0);
        if (heldMs >= timeoutMs) {
            // Only who holds the token knows what is on its way, and what has completed by now.
            subscription.sender().runWhenServed(() -> {
                if (subscription.released() == released && subscription.hold().isInFlight()) {
                    disconnect(length, heldMs);
                }
            });
        }
    }

    private void disconnect(long length, long heldMs) {
        subscription
                .endpoint()
                .disconnect(subscription.describe() + " keeps " + length
                        + " bytes in use that are needed: writes to it have not completed for " + heldMs + " ms");
    }
}
