package io.rocketbufs.rocketnet.shm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory through which one side of a connection receives. The receiver creates it; the sender also maps it. All
 * numbers except the words are in the machine's byte order.
 *
 * <pre>
 *   0          produced position (long), written by the sender
 *   8          finished (int), written by the sender: 1 once the produced position is final
 *   128        consumed position (long), written by the receiver
 *   256        receiver sleeps (int): the receiver writes 1, either side writes 0
 *   384        sender waits (int): the sender writes 1, either side writes 0
 *   4096       words (big-endian long) at intervals of 64 bytes, written by the sender, see {@link ShmWords}
 *   20480      channel: a circular sequence of records, whose length is a power of two
 * </pre>
 *
 * <p>Positions count bytes from the start of the connection and never wrap. An offset in the channel is a position
 * modulo the channel's length. A record begins at a multiple of 16 bytes and never crosses the end of the channel:
 *
 * <pre>
 *   0        4        8           12         16
 *   +--------+--------+-----------+----------+---------------------+----------------------+
 *   | kind   | length | immediate | 0        | payload             | up to the next 16    |
 *   +--------+--------+-----------+----------+---------------------+----------------------+
 *
 *   kind    1 = write, 2 = control message, 3 = padding up to the end of the channel
 *   length  length of the payload; for padding, the number of bytes after the header
 * </pre>
 *
 * <p>Fields with different writers are 128 bytes apart, because processors fetch pairs of cache lines.
 */
final class ShmLayout {
    /** Version of this layout and of {@link ShmGreeting}. */
    static final int VERSION = 2;

    static final int PRODUCED = 0;
    static final int FINISHED = 8;
    static final int CONSUMED = 128;
    static final int RECEIVER_SLEEPS = 256;
    static final int SENDER_WAITS = 384;
    static final int WORDS = 4096;
    static final int WORDS_LENGTH = 16384;
    static final int WORD_SPACING = 64;
    static final int HEADER_LENGTH = WORDS + WORDS_LENGTH;

    static final int RECORD_HEADER_LENGTH = 16;
    static final int WRITE = 1;
    static final int CONTROL = 2;
    static final int PADDING = 3;

    /** Maximum length of a write in bytes. */
    static final int LONGEST_WRITE = 64 << 10;
    /** Maximum length of a control message in bytes. */
    static final int LONGEST_CONTROL = 16 << 10;

    /** Minimum length of a channel in bytes. An empty channel has room for the longest record, even after padding. */
    static final int SHORTEST_CHANNEL = 256 << 10;

    static final int LONGEST_CHANNEL = 1 << 30;

    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private static final int KIND = 0;
    private static final int LENGTH = 4;
    private static final int IMMEDIATE = 8;
    private static final int RESERVED = 12;

    private ShmLayout() {}

    /** Returns whether a channel may have this length. */
    static boolean isChannelLength(long length) {
        return length >= SHORTEST_CHANNEL && length <= LONGEST_CHANNEL && Long.bitCount(length) == 1;
    }

    /** Returns the length of the memory that contains a channel of the given length. */
    static long memoryLength(long channelLength) {
        return HEADER_LENGTH + channelLength;
    }

    /** Returns the length of the record for a payload of the given length. */
    static int recordLength(int payloadLength) {
        return RECORD_HEADER_LENGTH + (payloadLength + RECORD_HEADER_LENGTH - 1 & -RECORD_HEADER_LENGTH);
    }

    /** Returns whether records may begin at this position. */
    static boolean isAligned(long position) {
        return (position & RECORD_HEADER_LENGTH - 1) == 0;
    }

    static int offset(long position, int channelLength) {
        return (int) position & channelLength - 1;
    }

    // Opaque access: each call reads the memory exactly once, so the number used is the number checked.

    static int kind(ByteBuffer channel, int offset) {
        return (int) INT.getOpaque(channel, offset + KIND);
    }

    static int length(ByteBuffer channel, int offset) {
        return (int) INT.getOpaque(channel, offset + LENGTH);
    }

    static int immediate(ByteBuffer channel, int offset) {
        return (int) INT.getOpaque(channel, offset + IMMEDIATE);
    }

    static void putHeader(ByteBuffer channel, int offset, int kind, int length, int immediate) {
        channel.putInt(offset + KIND, kind);
        channel.putInt(offset + LENGTH, length);
        channel.putInt(offset + IMMEDIATE, immediate);
        channel.putInt(offset + RESERVED, 0);
    }
}
