package io.rocketbufs.rocketnet.shm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first packet from each side of a connection. The connecting side sends first; the descriptor of the memory
 * through which it receives accompanies its packet. The listening side responds in the same form, or refuses with a
 * text. Numbers are in the machine's byte order.
 *
 * <pre>
 *   0           8           12             16               20        24
 *   +-----------+-----------+--------------+----------------+---------+-----------------+
 *   | "RBufsShm"| version   | accepted     | channel length | number  | text, UTF-8     |
 *   +-----------+-----------+--------------+----------------+---------+-----------------+
 *
 *   accepted   1; or 0 if refused, with the reason in the text
 *   number     in the response, the port by which the listening side identifies the connecting side; otherwise 0
 * </pre>
 *
 * @param version version of the layouts
 * @param channelLength length in bytes of the channel through which the sender of the greeting receives
 * @param number the port by which the listening side identifies the connecting side; 0 in the first greeting
 * @param refusal reason why the connection is refused; null if it is accepted
 */
record ShmGreeting(int version, int channelLength, int number, String refusal) {
    /** Maximum length of a greeting in bytes. */
    static final int MAX_LENGTH = 1024;

    private static final long MAGIC = magic();
    private static final int VERSION = 8;
    private static final int ACCEPTED = 12;
    private static final int CHANNEL_LENGTH = 16;
    private static final int NUMBER = 20;
    private static final int TEXT = 24;

    static ShmGreeting accepting(int channelLength, int number) {
        return new ShmGreeting(ShmLayout.VERSION, channelLength, number, null);
    }

    static ShmGreeting refusing(String reason) {
        return new ShmGreeting(ShmLayout.VERSION, 0, 0, reason);
    }

    private static long magic() {
        return ByteBuffer.wrap("RBufsShm".getBytes(StandardCharsets.US_ASCII)).getLong();
    }

    /** Returns the packet, whose capacity is its length. */
    ByteBuffer encode() {
        byte[] text = refusal == null ? new byte[0] : refusal.getBytes(StandardCharsets.UTF_8);
        int textLength = Math.min(text.length, MAX_LENGTH - TEXT);
        ByteBuffer packet = ShmCalls.block(TEXT + textLength);
        packet.put(0, ByteBuffer.allocate(Long.BYTES).putLong(0, MAGIC).array());
        packet.putInt(VERSION, version).putInt(ACCEPTED, refusal == null ? 1 : 0);
        packet.putInt(CHANNEL_LENGTH, channelLength).putInt(NUMBER, number);
        return packet.put(TEXT, text, 0, textLength);
    }

    /** Decodes a packet of the given length. Returns null if it is not a greeting. */
    static ShmGreeting decode(ByteBuffer packet, int length) {
        byte[] magic = new byte[Long.BYTES];
        packet.get(0, magic);
        if (length < TEXT || ByteBuffer.wrap(magic).getLong() != MAGIC) {
            return null;
        }
        byte[] text = new byte[length - TEXT];
        packet.get(TEXT, text);
        String refusal = packet.getInt(ACCEPTED) == 1 ? null : new String(text, StandardCharsets.UTF_8);
        return new ShmGreeting(packet.getInt(VERSION), packet.getInt(CHANNEL_LENGTH), packet.getInt(NUMBER), refusal);
    }
}
