package io.rocketbufs.rocketlog.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The function that assigns keys to partitions. Like Kafka's clients, it computes the 32-bit MurmurHash2 of the key,
 * without its sign bit, modulo the number of partitions.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
public final class KeyPartition {
    private static final int SEED = 0x9747b28c;
    private static final int FACTOR = 0x5bd1e995;

    private KeyPartition() {}

    /** Returns the partition for a key. The key consists of the bytes between the buffer's position and limit. */
    public static int of(ByteBuffer key, int partitions) {
        return (hash(key) & Integer.MAX_VALUE) % partitions;
    }

    private static int hash(ByteBuffer key) {
        ByteBuffer bytes = key.slice().order(ByteOrder.LITTLE_ENDIAN);
        int hash = SEED ^ bytes.remaining();
        while (bytes.remaining() >= Integer.BYTES) {
            int word = bytes.getInt() * FACTOR;
            word ^= word >>> 24;
            hash = hash * FACTOR ^ word * FACTOR;
        }
        if (bytes.hasRemaining()) {
            for (int i = bytes.remaining() - 1; i >= 0; i--) {
                hash ^= (bytes.get(bytes.position() + i) & 0xff) << Byte.SIZE * i;
            }
            hash *= FACTOR;
        }
        hash ^= hash >>> 13;
        hash *= FACTOR;
        return hash ^ hash >>> 15;
    }
}
