package io.rocketbufs.rocketnet.shm;

import java.nio.ByteBuffer;

/**
 * A packet about memory that its sender shares. Numbers are in the machine's byte order.
 *
 * <pre>
 *   0        4        8                16
 *   +--------+--------+----------------+
 *   | kind   | 0      | key            |
 *   +--------+--------+----------------+
 *
 *   kind   1 = shared for reading, 3 = shared words, which the receiver may change too: the descriptor of the memory
 *          accompanies the packet; 2 = withdrawn. Other kinds are ignored
 *   key    positive; identifies the memory in the description of its grant, and is not reused
 * </pre>
 */
final class ShmNotice {
    static final int LENGTH = 16;
    static final int SHARED = 1;
    static final int WITHDRAWN = 2;
    static final int WORDS = 3;

    private static final int KIND = 0;
    private static final int KEY = 8;

    private ShmNotice() {}

    /** Returns a new packet. */
    static ByteBuffer of(int kind, long key) {
        return ShmCalls.block(LENGTH).putInt(KIND, kind).putLong(KEY, key);
    }

    static int kind(ByteBuffer packet) {
        return packet.getInt(KIND);
    }

    static long key(ByteBuffer packet) {
        return packet.getLong(KEY);
    }
}
