package io.rocketbufs.livestream.relay;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells the time of day, and goes on evenly when somebody sets the system's clock: viewers measure by it how far they
 * are behind.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class SteadyClock {
    private final long startMs;
    private final long startNs;
    private final LongSupplier nanoTime;

    SteadyClock() {
        this(System.currentTimeMillis(), System::nanoTime);
    }

    SteadyClock(long startMs, LongSupplier nanoTime) {
        this.startMs = startMs;
        this.nanoTime = nanoTime;
        this.startNs = nanoTime.getAsLong();
    }

    /** Milliseconds since 1970. */
    long millis() {
        return startMs + TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNs);
    }
}
