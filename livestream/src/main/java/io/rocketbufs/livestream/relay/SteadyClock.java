package io.rocketbufs.livestream.relay;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A time-of-day clock that does not jump when the system clock is set. Viewers use its times to measure their latency.
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

    /** Returns the current time in milliseconds since 1970. */
    long millis() {
        return startMs + TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNs);
    }
}
