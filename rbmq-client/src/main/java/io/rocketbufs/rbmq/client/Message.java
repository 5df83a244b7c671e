package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;

/**
 * A received message, read in place.
 *
 * <p><b>Thread-safety:</b> the worker that called the handler. <b>Ownership:</b> one object for all messages of a
 * publisher: valid until the handler returns; {@link #toBytes()} makes a copy that stays.
 */
public final class Message {
    private final String topic;
    private final int publisher;
    private final MessageVecs vecs = new MessageVecs();
    private Segment transfer;
    private long start;
    private int length;
    /** Where the message is in one piece, its bytes and their offset; else null. */
    private ByteBuffer bytes;

    private int offset;

    Message(String topic, int publisher) {
        this.topic = topic;
        this.publisher = publisher;
    }

    /** Begins a transfer that the next messages belong to. */
    void begin(Segment newTransfer) {
        transfer = newTransfer;
    }

    /** Makes this the message in one piece. */
    Message set(long index, int messageLength, ByteBuffer in, int offsetThere) {
        start = index;
        length = messageLength;
        bytes = in;
        offset = offsetThere;
        return this;
    }

    /** Makes this the message in two pieces. */
    Message setWrapped(long index, int messageLength) {
        start = index;
        length = messageLength;
        bytes = null;
        return this;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** Number that the broker gave to the publisher. */
    public int publisher() {
        return publisher;
    }

    /** Bytes of the message. */
    public int length() {
        return length;
    }

    /** The byte at an index. */
    public byte getByte(int index) {
        check(index, Byte.BYTES);
        return bytes != null ? bytes.get(offset + index) : transfer.getByte(start + index);
    }

    /** The big-endian int at an index. */
    public int getInt(int index) {
        check(index, Integer.BYTES);
        return bytes != null ? bytes.getInt(offset + index) : transfer.getInt(start + index);
    }

    /** The big-endian long at an index. */
    public long getLong(int index) {
        check(index, Long.BYTES);
        return bytes != null ? bytes.getLong(offset + index) : transfer.getLong(start + index);
    }

    /** Copies out of the message. */
    public void get(int index, byte[] into, int intoOffset, int count) {
        check(index, count);
        if (bytes != null) {
            bytes.get(offset + index, into, intoOffset, count);
        } else {
            transfer.get(start + index, into, intoOffset, count);
        }
    }

    /** Number of vecs: 0 of an empty message, 2 where it wraps around the buffer's end. */
    public int vecCount() {
        return vecs.count(transfer, start, length);
    }

    /** A read-only direct buffer, of which the bytes from position to limit belong to the message. */
    public ByteBuffer vec(int i) {
        return vecs.vec(transfer, start, length, i);
    }

    /** A copy of the message. */
    public byte[] toBytes() {
        byte[] copy = new byte[length];
        get(0, copy, 0, length);
        return copy;
    }

    private void check(int index, int count) {
        if ((index | count) < 0 || count > length - index) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count + " length=" + length);
        }
    }
}
