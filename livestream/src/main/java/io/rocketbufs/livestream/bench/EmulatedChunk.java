package io.rocketbufs.livestream.bench;

import java.nio.ByteBuffer;

/**
 * A generator and checker of synthetic MPEG transport stream chunks that resemble video. Every packet contains its own
 * index, so that each byte can be checked.
 *
 * <pre>
 *  packet 0: programs (PAT)   packet 1: streams (PMT)   all others, video:
 *  +--------+------------------------------+---------------+-----------------+--------+----------+
 *  | header | at the start of a frame: PES | filling       | source, 4 bytes | number | packet   |
 *  +--------+------------------------------+---------------+-----------------+--------+----------+
 * </pre>
 *
 * The filling repeats the lowest byte of the packet's index.
 */
public final class EmulatedChunk {
    /** Length of a packet in bytes. */
    public static final int PACKET_LENGTH = 188;

    private static final int TABLES = 2;
    private static final int VIDEO_PID = 0x100;
    private static final int PMT_PID = 0x1000;
    private static final int FRAMES_PER_S = 25;
    private static final int TICKS_PER_MS = 90;
    private static final int TAIL_LENGTH = 12;
    private static final int ADAPTATION_LENGTH = 8;
    private static final int PES_LENGTH = 14;
    private static final int HEADER_LENGTH = 4;
    private static final int MPEG_CRC = 0x04c1_1db7;

    private EmulatedChunk() {}

    /**
     * Creates a chunk.
     *
     * @param source number of the source that sends the chunk
     * @param number number of the chunk
     * @param length length in bytes, at least 4 KiB; rounded down to whole packets
     * @param durationMs playing time in milliseconds
     */
    public static byte[] make(int source, int number, int length, int durationMs) {
        int packets = length / PACKET_LENGTH;
        int frames = Math.max(1, durationMs * FRAMES_PER_S / 1000);
        ByteBuffer out = ByteBuffer.allocate(packets * PACKET_LENGTH);
        table(out, 0, number, new byte[] {0, 1, (byte) (0xe0 | PMT_PID >> 8), (byte) PMT_PID}, 0);
        table(
                out,
                PMT_PID,
                number,
                new byte[] {
                    (byte) (0xe0 | VIDEO_PID >> 8),
                    (byte) VIDEO_PID,
                    (byte) 0xf0,
                    0,
                    0x1b,
                    (byte) (0xe0 | VIDEO_PID >> 8),
                    (byte) VIDEO_PID,
                    (byte) 0xf0,
                    0
                },
                2);
        int media = packets - TABLES;
        int frame = 0;
        for (int i = 0; i < media; i++) {
            boolean begins = frame < frames && i == (int) ((long) frame * media / frames);
            long pts = (long) number * durationMs * TICKS_PER_MS + (long) frame * durationMs * TICKS_PER_MS / frames;
            picture(out, begins, begins && frame == 0, pts, i);
            tail(out, source, number, i);
            frame += begins ? 1 : 0;
        }
        return out.array();
    }

    private static void table(ByteBuffer out, int pid, int number, byte[] content, int id) {
        int start = out.position();
        out.put((byte) 0x47)
                .putShort((short) (0x4000 | pid))
                .put((byte) (0x10 | number & 0xf))
                .put((byte) 0);
        int section = out.position();
        out.put((byte) id).putShort((short) (0xb000 | 5 + content.length + 4));
        out.putShort((short) 1).put((byte) 0xc1).putShort((short) 0).put(content);
        out.putInt(mpegCrc(out.array(), section, out.position()));
        fill(out, start + PACKET_LENGTH, 0xff);
    }

    private static int mpegCrc(byte[] bytes, int from, int to) {
        int crc = -1;
        for (int i = from; i < to; i++) {
            crc ^= bytes[i] << 24;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                crc = crc < 0 ? crc << 1 ^ MPEG_CRC : crc << 1;
            }
        }
        return crc;
    }

    private static void picture(ByteBuffer out, boolean begins, boolean isKey, long pts, int index) {
        int start = out.position();
        out.put((byte) 0x47).putShort((short) ((begins ? 0x4000 : 0) | VIDEO_PID));
        out.put((byte) ((isKey ? 0x30 : 0x10) | index & 0xf));
        if (isKey) {
            out.put((byte) (ADAPTATION_LENGTH - 1)).put((byte) 0x40);
            fill(out, start + HEADER_LENGTH + ADAPTATION_LENGTH, 0xff);
        }
        if (begins) {
            out.putInt(0x1e0)
                    .putShort((short) 0)
                    .put((byte) 0x80)
                    .put((byte) 0x80)
                    .put((byte) 5);
            out.put((byte) (0x21 | pts >> 29 & 0xe));
            out.putShort((short) (pts >> 14 | 1)).putShort((short) (pts << 1 | 1));
        }
        fill(out, start + PACKET_LENGTH - TAIL_LENGTH, index & 0xff);
    }

    private static void tail(ByteBuffer out, int source, int number, int index) {
        out.putInt(source).putInt(number).putInt(index);
    }

    private static void fill(ByteBuffer out, int end, int with) {
        while (out.position() < end) {
            out.put((byte) with);
        }
    }

    /** Returns the number of the source that created a chunk. */
    public static int source(byte[] chunk) {
        return ByteBuffer.wrap(chunk).getInt((TABLES + 1) * PACKET_LENGTH - TAIL_LENGTH);
    }

    /** Returns the number that the source assigned to a chunk. */
    public static int number(byte[] chunk) {
        return ByteBuffer.wrap(chunk).getInt((TABLES + 1) * PACKET_LENGTH - TAIL_LENGTH + Integer.BYTES);
    }

    /** Returns true if every byte of the video packets matches the source number and the chunk number in the chunk. */
    public static boolean isIntact(byte[] chunk) {
        if (chunk.length < (TABLES + 1) * PACKET_LENGTH || chunk.length % PACKET_LENGTH != 0) {
            return false;
        }
        ByteBuffer in = ByteBuffer.wrap(chunk);
        int source = source(chunk);
        int number = number(chunk);
        for (int i = 0; i < chunk.length / PACKET_LENGTH - TABLES; i++) {
            if (!isIntact(in, (TABLES + i) * PACKET_LENGTH, source, number, i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIntact(ByteBuffer in, int at, int source, int number, int index) {
        int tail = at + PACKET_LENGTH - TAIL_LENGTH;
        if (in.get(at) != 0x47
                || in.getInt(tail) != source
                || in.getInt(tail + 4) != number
                || in.getInt(tail + 8) != index) {
            return false;
        }
        int from = at + HEADER_LENGTH;
        from += (in.get(at + 3) & 0x20) != 0 ? ADAPTATION_LENGTH : 0;
        from += (in.get(at + 1) & 0x40) != 0 ? PES_LENGTH : 0;
        for (int i = from; i < tail; i++) {
            if (in.get(i) != (byte) index) {
                return false;
            }
        }
        return true;
    }

    /** Returns true for a chunk that was created by {@link #make}. */
    public static boolean isEmulated(byte[] chunk) {
        return chunk.length > (TABLES + 1) * PACKET_LENGTH
                && isIntact(ByteBuffer.wrap(chunk), TABLES * PACKET_LENGTH, source(chunk), number(chunk), 0);
    }
}
