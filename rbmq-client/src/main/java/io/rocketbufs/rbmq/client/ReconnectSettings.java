package io.rocketbufs.rbmq.client;

import io.rocketbufs.settings.SettingsReader;

/**
 * The settings that determine whether and when a client replaces a connection that it has lost.
 *
 * @param enabled whether lost connections are replaced; if false, a lost connection ends the publisher or subscriber
 * @param firstMs delay before the first attempt, in milliseconds; it doubles with each failed attempt
 * @param longestMs the longest delay between two attempts, in milliseconds, before jitter. A connection that lasts for
 *     less time does not reset the delay
 * @param jitter fraction by which each delay is randomly shortened or extended, from 0 to 1, so that the clients of a
 *     broker do not all reconnect at the same moment
 * @param giveUpAfterMs time without a connection after which the client gives up, in milliseconds; 0 if it never gives
 *     up
 */
public record ReconnectSettings(boolean enabled, long firstMs, long longestMs, double jitter, long giveUpAfterMs) {
    private static final long DAY_MS = 86_400_000;
    private static final String KEY = "client.reconnect.";

    /** Validates the values. */
    public ReconnectSettings {
        if (firstMs < 1 || longestMs < firstMs || giveUpAfterMs < 0) {
            throw new IllegalArgumentException("firstMs=" + firstMs + " longestMs=" + longestMs + " giveUpAfterMs="
                    + giveUpAfterMs + ": a delay must be positive, and the longest not shorter than the first");
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter=" + jitter + " is not within 0 to 1");
        }
    }

    /** Reads the settings from {@code rbmq.client.reconnect}. */
    static ReconnectSettings from(SettingsReader reader) {
        long firstMs = reader.millis(KEY + "first", 1, DAY_MS);
        return new ReconnectSettings(
                reader.bool(KEY + "enabled"),
                firstMs,
                reader.millis(KEY + "longest", firstMs, DAY_MS),
                jitter(reader),
                reader.millis(KEY + "give-up-after", 0, 365 * DAY_MS));
    }

    private static double jitter(SettingsReader reader) {
        String text = reader.text(KEY + "jitter");
        try {
            double jitter = Double.parseDouble(text);
            if (jitter >= 0 && jitter <= 1) {
                return jitter;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw reader.wrong(KEY + "jitter", "\"" + text + "\" is not a number from 0 to 1");
    }

    /** Returns a copy that replaces lost connections if {@code on} is true. */
    public ReconnectSettings withEnabled(boolean on) {
        return new ReconnectSettings(on, firstMs, longestMs, jitter, giveUpAfterMs);
    }

    /** Returns a copy with the given delays in milliseconds. */
    public ReconnectSettings withDelays(long first, long longest) {
        return new ReconnectSettings(enabled, first, longest, jitter, giveUpAfterMs);
    }

    /** Returns a copy with the given jitter. */
    public ReconnectSettings withJitter(double fraction) {
        return new ReconnectSettings(enabled, firstMs, longestMs, fraction, giveUpAfterMs);
    }

    /** Returns a copy that gives up after the given time in milliseconds, or never if it is 0. */
    public ReconnectSettings withGiveUpAfter(long timeMs) {
        return new ReconnectSettings(enabled, firstMs, longestMs, jitter, timeMs);
    }
}
