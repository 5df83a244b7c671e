package io.rocketbufs.rbmq.client;

import java.util.function.DoubleSupplier;

/**
 * The delays between a client's attempts to reconnect. They double from the first delay up to the longest, and each is
 * varied at random.
 *
 * <pre>
 *   lost     attempt      attempt            attempt                    attempt
 *    |--first--|-- 2 x first --|---- 4 x first ----|-- ... --|-- longest --|-- longest --|
 *              |&lt;--jitter--&gt;|                        each: x (1 - jitter) to x (1 + jitter)
 * </pre>
 *
 * <p><b>Thread-safety:</b> guarded by the caller.
 */
final class ReconnectSchedule {
    private final ReconnectSettings settings;
    private final DoubleSupplier random;
    private long delayMs;

    /**
     * Creates a schedule that starts with the first delay.
     *
     * @param random returns numbers from 0 to 1
     */
    ReconnectSchedule(ReconnectSettings settings, DoubleSupplier random) {
        this.settings = settings;
        this.random = random;
        this.delayMs = settings.firstMs();
    }

    /** Called when a connection has been lost. If the connection lasted long enough, the delay is reset. */
    void lost(long lastedMs) {
        if (lastedMs >= settings.longestMs()) {
            delayMs = settings.firstMs();
        }
    }

    /**
     * Returns the delay before the next attempt in milliseconds, at least 1. The last attempt is made at the time when
     * the client gives up.
     *
     * @param disconnectedMs time for which the client has been disconnected, in milliseconds
     * @return the delay; -1 when it is time to give up
     */
    long nextMs(long disconnectedMs) {
        long leftMs = settings.giveUpAfterMs() == 0 ? Long.MAX_VALUE : settings.giveUpAfterMs() - disconnectedMs;
        if (leftMs <= 0) {
            return -1;
        }
        double factor = 1 + settings.jitter() * (2 * random.getAsDouble() - 1);
        long varied = Math.max(1, Math.round(delayMs * factor));
        delayMs = Math.min(settings.longestMs(), 2 * delayMs);
        return Math.min(leftMs, varied);
    }
}
