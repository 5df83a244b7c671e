package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * The layout of a packet in an MPEG transport stream (ISO/IEC 13818-1).
 *
 * <pre>
 *  0      1                  2        3                         4
 *  +------+------------------+--------+-------------------------+--------------------+-----------
 *  | 0x47 | 01000000: starts | PID    | 00100000: has adapt.    | adaptation field,  | payload
 *  |      | 00011111: PID    |        | 00010000: has payload   | with its length    |
 *  +------+------------------+--------+-------------------------+--------------------+-----------
 * </pre>
 */
final class TsLayout {
    /** Length of a packet in bytes. */
    static final int LENGTH = 188;
    /** First byte of a packet. */
    static final byte SYNC = 0x47;

    static final int PAT_PID = 0;
    static final int NULL_PID = 0x1fff;

    private static final int HEADER_LENGTH = 4;
    private static final int PES_HEADER_LENGTH = 9;
    private static final int PTS_LENGTH = 5;
    /** Index after the length field of a PES packet. The field contains the number of bytes that follow it. */
    private static final int PES_LENGTH_END = 6;

    private TsLayout() {}

    static int pid(ByteBuffer packet, int at) {
        return packet.getShort(at + 1) & NULL_PID;
    }

    /** Returns true if a PES packet or a section starts in this packet. */
    static boolean starts(ByteBuffer packet, int at) {
        return (packet.get(at + 1) & 0x40) != 0;
    }

    static boolean hasPayload(ByteBuffer packet, int at) {
        return (packet.get(at + 3) & 0x10) != 0;
    }

    private static boolean hasAdaptation(ByteBuffer packet, int at) {
        return (packet.get(at + 3) & 0x20) != 0;
    }

    /** Returns true if this packet starts a key frame, so that decoding can start here. */
    static boolean isRandomAccess(ByteBuffer packet, int at) {
        return hasAdaptation(packet, at) && packet.get(at + HEADER_LENGTH) != 0 && (packet.get(at + 5) & 0x40) != 0;
    }

    /** Returns the index of the payload in the buffer, or the end of the packet if there is no payload. */
    static int payload(ByteBuffer packet, int at) {
        int start = at + HEADER_LENGTH;
        if (hasAdaptation(packet, at)) {
            start += 1 + (packet.get(start) & 0xff);
        }
        return hasPayload(packet, at) ? Math.min(start, at + LENGTH) : at + LENGTH;
    }

    /**
     * Returns the presentation timestamp (33 bits, 90 kHz) of the PES packet that starts at {@code pes}, or -1 if the
     * packet has none.
     */
    static long pts(ByteBuffer packet, int pes, int end) {
        if (end - pes < PES_HEADER_LENGTH + PTS_LENGTH
                || packet.getShort(pes) != 0
                || packet.get(pes + 2) != 1
                || (packet.get(pes + 7) & 0x80) == 0) {
            return -1;
        }
        int at = pes + PES_HEADER_LENGTH;
        return (packet.get(at) >> 1 & 7L) << 30
                | (packet.getShort(at + 1) & 0xfffeL) << 14
                | (packet.getShort(at + 3) & 0xffffL) >> 1;
    }

    /**
     * Returns the length in bytes of the payload of a PES packet with a timestamp, or 0 if the length is not specified.
     */
    static int pesPayloadLength(ByteBuffer packet, int pes) {
        int afterLength = packet.getShort(pes + 4) & 0xffff;
        return Math.max(0, afterLength - (PES_HEADER_LENGTH - PES_LENGTH_END) - (packet.get(pes + 8) & 0xff));
    }

    /** Returns the index of the payload in the PES packet that starts at {@code pes}; at most {@code end}. */
    static int pesPayload(ByteBuffer packet, int pes, int end) {
        return end - pes < PES_HEADER_LENGTH
                ? end
                : Math.min(end, pes + PES_HEADER_LENGTH + (packet.get(pes + 8) & 0xff));
    }
}
