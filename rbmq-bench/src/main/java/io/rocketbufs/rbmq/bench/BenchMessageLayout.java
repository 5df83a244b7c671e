package io.rocketbufs.rbmq.bench;

/**
 * The layout of a benchmark's messages. Each message contains its publisher's number and a sequence number. Messages of
 * 16 bytes or more also contain a timestamp, which is 0 if the message is not timed. The remaining bytes are a pattern;
 * see {@link Payload}. A publisher to several topics has a separate number and sequence for each topic.
 *
 * <pre>
 *   0        2                       8                       16
 *   +--------+-----------------------+-----------------------+---------
 *   | number |       sequence        |       timestamp       | payload      length 16 or more
 *   +--------+-----------------------+-----------------------+---------
 *   | number |       sequence        | payload                              length 8 to 15
 *   +--------+-----------------------+---------
 * </pre>
 */
public final class BenchMessageLayout {
    /** Minimum length of a message. */
    public static final int MIN_LENGTH = 8;
    /** Minimum length of a message with a timestamp. */
    public static final int MIN_STAMPED_LENGTH = 16;
    /** Maximum number of publishers that can be distinguished. */
    public static final int MAX_PUBLISHERS = 1 << 16;

    static final int HEADER_OFFSET = 0;
    static final int STAMP_OFFSET = 8;
    static final long NO_STAMP = 0;

    private static final int SEQUENCE_BITS = 48;
    private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;
    private static final int SPECIMEN_MASK = 1024 - 1;

    private BenchMessageLayout() {}

    static long header(int publisher, long sequence) {
        return (long) publisher << SEQUENCE_BITS | sequence;
    }

    static int publisher(long header) {
        return (int) (header >>> SEQUENCE_BITS);
    }

    static long sequence(long header) {
        return header & SEQUENCE_MASK;
    }

    static boolean isStamped(int length) {
        return length >= MIN_STAMPED_LENGTH;
    }

    static int payloadOffset(int length) {
        return isStamped(length) ? MIN_STAMPED_LENGTH : MIN_LENGTH;
    }

    /** Returns true for one message in 1,024, whose entire payload is checked and whose latency is measured. */
    static boolean isSpecimen(long sequence) {
        return (sequence & SPECIMEN_MASK) == 0;
    }
}
