package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import java.nio.ByteBuffer;

/**
 * The private data that each side of a connection sends to the other during connection setup, big-endian:
 *
 * <pre>
 *  0           2         3    4             8                 16               24
 *  +-----------+---------+----+-------------+-----------------+----------------+
 *  |   "RB"    | version | 0  |  receives   |  word's address |   word's key   |
 *  +-----------+---------+----+-------------+-----------------+----------------+
 * </pre>
 *
 * The receiver of the greeting writes the total number of receives that it has posted into the sender's word.
 *
 * @param receives number of receives that the sender of the greeting has posted
 * @param wordAddress address of the sender's word
 * @param wordKey remote key of the word
 */
record RdmaGreeting(int receives, long wordAddress, long wordKey) {
    private static final short MAGIC = 0x5242;
    private static final byte VERSION = 1;
    private static final int LENGTH = 24;

    NativeBlock block() {
        NativeBlock block = new NativeBlock(LENGTH);
        ByteBuffer bytes = block.bytes().duplicate();
        bytes.putShort(MAGIC)
                .put(VERSION)
                .put((byte) 0)
                .putInt(receives)
                .putLong(wordAddress)
                .putLong(wordKey);
        return block;
    }

    /**
     * Parses a peer's private data.
     *
     * @throws IllegalArgumentException if the data is not a valid greeting
     */
    static RdmaGreeting of(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || bytes.getShort() != MAGIC) {
            throw new IllegalArgumentException("not a RocketBufs peer: private data of " + data.length + " bytes");
        }
        byte version = bytes.get();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "unsupported version of the RDMA protocol: version=" + version + ", supported=" + VERSION);
        }
        bytes.get();
        RdmaGreeting greeting = new RdmaGreeting(bytes.getInt(), bytes.getLong(), bytes.getLong());
        if (greeting.receives < RdmaSettings.MIN_RECEIVES) {
            throw new IllegalArgumentException(
                    "too few receives: receives=" + greeting.receives + ", minimum=" + RdmaSettings.MIN_RECEIVES);
        }
        return greeting;
    }
}
