package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import java.nio.ByteBuffer;

/**
 * The private data with which both sides of a connection introduce themselves, big-endian:
 *
 * <pre>
 *  0           2         3    4             8                 16               24
 *  +-----------+---------+----+-------------+-----------------+----------------+
 *  |   "RB"    | version | 0  |  receives   |  word's address |   word's key   |
 *  +-----------+---------+----+-------------+-----------------+----------------+
 * </pre>
 *
 * The peer writes into the word how many receives it has posted in all.
 *
 * @param receives receives that the sender of this has posted already
 * @param wordAddress where its word is
 * @param wordKey the word's key
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
     * Reads what a peer sent.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    static RdmaGreeting of(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || bytes.getShort() != MAGIC) {
            throw new IllegalArgumentException("not a RocketBufs peer: private data of " + data.length + " bytes");
        }
        byte version = bytes.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("version " + version + " of the RDMA protocol, known is " + VERSION);
        }
        bytes.get();
        RdmaGreeting greeting = new RdmaGreeting(bytes.getInt(), bytes.getLong(), bytes.getLong());
        if (greeting.receives < RdmaSettings.MIN_RECEIVES) {
            throw new IllegalArgumentException(greeting.receives + " receives, less than " + RdmaSettings.MIN_RECEIVES);
        }
        return greeting;
    }
}
