package io.rocketbufs.out;

import java.util.function.BooleanSupplier;

/**
 * The other buffer from which a reader in this process fills a buffer. The subscriptions to the filled buffer can delay
 * the producer of the other one.
 *
 * <p><b>Thread-safety:</b> any thread.
 *
 * @param tap reads the other buffer
 * @param isHeldUp returns true while no subscription takes what the tap could read
 */
public record Origin(Tap tap, BooleanSupplier isHeldUp) {
    /** Returns true while the subscriptions keep the tap from releasing memory that the producer needs. */
    boolean isInTheWay() {
        return tap.isInTheWay() && isHeldUp.getAsBoolean();
    }
}
