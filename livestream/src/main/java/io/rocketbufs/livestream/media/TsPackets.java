package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * A splitter that divides a transport stream into packets. The stream may arrive in pieces of any length.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class TsPackets {
    private final PacketSink sink;
    private final ByteBuffer split = ByteBuffer.allocate(TsLayout.LENGTH);

    TsPackets(PacketSink sink) {
        this.sink = sink;
    }

    /** A receiver of packets. */
    interface PacketSink {
        /** Called for each packet, with the buffer that contains it and its index in that buffer. */
        void packet(ByteBuffer buffer, int at);
    }

    /**
     * Adds the next bytes, from the buffer's position to its limit, without changing either.
     *
     * @throws MediaException if a packet does not start with the sync byte
     */
    void add(ByteBuffer bytes) {
        int at = bytes.position();
        int end = bytes.limit();
        if (split.position() > 0) {
            int missing = Math.min(split.remaining(), end - at);
            split.put(split.position(), bytes, at, missing).position(split.position() + missing);
            at += missing;
            if (split.hasRemaining()) {
                return;
            }
            split.clear();
            hand(split, 0);
        }
        while (end - at >= TsLayout.LENGTH) {
            hand(bytes, at);
            at += TsLayout.LENGTH;
        }
        split.put(0, bytes, at, end - at).position(end - at);
    }

    private void hand(ByteBuffer buffer, int at) {
        if (buffer.get(at) != TsLayout.SYNC) {
            throw new MediaException("is not an MPEG transport stream: a packet begins with " + (buffer.get(at) & 0xff)
                    + " instead of 71 (0x47)");
        }
        sink.packet(buffer, at);
    }

    /**
     * Ends the stream.
     *
     * @throws MediaException if the stream ends in the middle of a packet
     */
    void finish() {
        if (split.position() > 0) {
            throw new MediaException("ends in the middle of a packet");
        }
    }
}
