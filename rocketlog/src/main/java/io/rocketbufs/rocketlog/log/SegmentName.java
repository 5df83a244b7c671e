package io.rocketbufs.rocketlog.log;

/**
 * The names of a segment's files. As in Kafka, a name consists of the base offset with 20 digits and a suffix.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class SegmentName {
    static final String LOG = ".log";
    static final String INDEX = ".index";
    static final String TIME_INDEX = ".timeindex";
    static final String SEAL = ".seal";
    /** Suffix of incomplete files. Recovery deletes them. */
    static final String UNFINISHED = ".tmp";

    private static final int DIGITS = 20;

    private SegmentName() {}

    static String of(long baseOffset, String suffix) {
        String digits = Long.toString(baseOffset);
        return "0".repeat(DIGITS - digits.length()) + digits + suffix;
    }

    /** Returns the base offset in a file's name, or -1 if the name does not belong to a segment's file. */
    static long baseOffset(String name, String suffix) {
        if (!name.endsWith(suffix) || name.length() != DIGITS + suffix.length()) {
            return -1;
        }
        for (int i = 0; i < DIGITS; i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return -1;
            }
        }
        try {
            return Long.parseLong(name, 0, DIGITS, 10);
        } catch (NumberFormatException e) {
            return -1; // the number exceeds the largest offset
        }
    }
}
