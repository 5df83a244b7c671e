package io.rocketbufs.benchmarks.shm.load;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The contents of a message: its number in the first eight and in the last eight bytes. */
final class Message {
    private Message() {}

    /**
     * Returns the contents of a message without a number. The sender sets the number before it copies each message.
     *
     * @param order byte order of the number
     */
    static ByteBuffer content(int size, ByteOrder order) {
        if (size < Long.BYTES) {
            throw new IllegalArgumentException("size=" + size + " is less than " + Long.BYTES);
        }
        ByteBuffer content = ByteBuffer.allocate(size).order(order);
        for (int i = 0; i < size; i++) {
            content.put(i, (byte) i);
        }
        return content;
    }

    /** Sets the number. */
    static void number(ByteBuffer content, long number) {
        content.putLong(0, number);
        content.putLong(content.capacity() - Long.BYTES, number);
    }

    /** Returns the number of a message, given its first and last eight bytes, or -1 if these differ. */
    static long number(long first, long last) {
        return first == last ? first : -1;
    }
}
