package io.rocketbufs.rbmq.cli;

import java.util.Locale;

/** Short, human-readable texts for byte counts and durations. */
final class Amounts {
    private static final String[] UNITS = {"kB", "MB", "GB", "TB", "PB", "EB"};
    private static final double STEP = 1000;
    /** The smallest number that would be rounded to 1000.0. */
    private static final double ROUNDED_UP = 999.95;

    private static final long SECOND_MS = 1000;
    private static final long MINUTE_S = 60;
    private static final long HOUR_S = 3600;
    private static final long DAY_S = 86_400;

    private Amounts() {}

    /** Returns a number of bytes in at most 8 characters, such as {@code 1.5 MB}. */
    static String bytes(long length) {
        if (length < STEP) {
            return length + " B";
        }
        double number = length / STEP;
        int unit = 0;
        while (number >= ROUNDED_UP) {
            number /= STEP;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", number, UNITS[unit]);
    }

    /** Returns a duration such as {@code 8.2 s}, {@code 12 min} or {@code 3 d 4 h}. */
    static String duration(long ms) {
        long seconds = ms / SECOND_MS;
        if (seconds < MINUTE_S) {
            return String.format(Locale.ROOT, "%.1f s", ms / (double) SECOND_MS);
        }
        if (seconds < HOUR_S) {
            return seconds / MINUTE_S + " min";
        }
        return seconds < DAY_S
                ? seconds / HOUR_S + " h " + seconds % HOUR_S / MINUTE_S + " min"
                : seconds / DAY_S + " d " + seconds % DAY_S / HOUR_S + " h";
    }
}
