package io.rocketbufs.benchmarks.transport;

import java.nio.ByteBuffer;

/**
 * Control messages of the benchmark, each with two numbers:
 *
 * <pre>
 *  0       8       16      24
 *  +-------+-------+-------+
 *  | type  |   a   |   b   |
 *  +-------+-------+-------+
 * </pre>
 */
enum BenchMessage {
    /** Begins a run; mode and kind of credit. */
    RUN,
    /** Bytes of a message, messages in the buffer. */
    BUFFER,
    /** Address and key of the sender's buffer. */
    GRANT,
    /** Address and key of the word for consumed positions. */
    WORD,
    /** Both sides know all. */
    START,
    /** The sender has no space and waits. */
    STARVING,
    /** Consumed position. */
    CREDIT,
    /** Consumed position, after STARVING and all that came before it. */
    ANSWER,
    /** The measurement begins here. */
    MARK_BEGIN,
    /** It ends here. */
    MARK_END,
    /** Nanoseconds of processor that the receiver's process has used between the marks. */
    PROCESSOR,
    /** Messages between the marks, nanoseconds between them. */
    REPORT,
    /** The client has all it wants. */
    END,
    /** Answers END when all that arrived was right. */
    BYE;

    /** Bytes of a message. */
    static final int LENGTH = 24;

    private static final BenchMessage[] ALL = values();

    /** Fills a buffer, from its beginning to its limit. */
    void put(ByteBuffer message, long a, long b) {
        message.clear().limit(LENGTH);
        message.putLong(0, ordinal()).putLong(8, a).putLong(16, b);
    }

    static BenchMessage type(ByteBuffer message) {
        return ALL[(int) message.getLong(message.position())];
    }

    static long a(ByteBuffer message) {
        return message.getLong(message.position() + 8);
    }

    static long b(ByteBuffer message) {
        return message.getLong(message.position() + 16);
    }
}
