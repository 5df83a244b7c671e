package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A received message. It is read in place, or from a copy if the handler's subscription has an executor.
 *
 * <p><b>Thread-safety:</b> the thread that called the handler. <b>Ownership:</b> valid only until the handler returns,
 * because one object is reused for all messages of a publisher. To keep a message, use {@link #copy()} or
 * {@link #toBytes()}.
 */
public final class Message {
    private final String topic;
    private final int publisher;
    /** Null if this is a copy. */
    private final MessageVecs vecs;
    /** Null unless this is a copy. */
    private final ReceivedMessage copy;

    private Segment transfer;
    private long start;
    private int length;
    /**
     * The memory that contains a contiguous message, which starts at {@code offset}; null if the message is in two
     * pieces.
     */
    private ByteBuffer bytes;

    private int offset;
    private boolean isGivenBack;
    /** Created on first use; null before that. */
    private MessageHeaders headers;

    Message(String topic, int publisher) {
        this.topic = topic;
        this.publisher = publisher;
        this.vecs = new MessageVecs();
        this.copy = null;
    }

    /** Creates a message that is read from a copy. */
    Message(ReceivedMessage copy) {
        this.topic = copy.topic();
        this.publisher = copy.publisher();
        this.vecs = null;
        this.copy = copy;
        set(0, copy.length(), copy.buffer(), 0);
    }

    /** Sets the transfer to which the next messages belong. */
    void begin(Segment newTransfer) {
        transfer = newTransfer;
    }

    /** Makes this object represent a contiguous message. */
    Message set(long index, int messageLength, ByteBuffer in, int offsetThere) {
        start = index;
        length = messageLength;
        bytes = in;
        offset = offsetThere;
        return this;
    }

    /** Makes this object represent a message in two pieces. */
    Message setWrapped(long index, int messageLength) {
        start = index;
        length = messageLength;
        bytes = null;
        return this;
    }

    /** Returns the topic. */
    public String topic() {
        return topic;
    }

    /** Returns the number that the broker assigned to the publisher. */
    public int publisher() {
        return publisher;
    }

    /**
     * Returns the message's headers, which are valid as long as the message; empty if it has none. All other methods of
     * this class concern the payload only.
     */
    public MessageHeaders headers() {
        if (headers == null) {
            headers = copy == null ? new MessageHeaders() : copy.headers();
        }
        return headers;
    }

    /**
     * Returns true if another member of the group may have received this message before. The message was then sent to a
     * member that left or was lost, and is not known to have consumed it. The header {@link HeaderKey#REDELIVERED}
     * marks the message.
     */
    public boolean isRedelivered() {
        return headers().has(HeaderKey.REDELIVERED);
    }

    /**
     * Closes the subscription without consuming this message. If the subscription belongs to a group, another member
     * receives this message and those after it; otherwise, this is like {@link Subscription#close()}.
     *
     * @throws IllegalStateException if the subscription has an executor, because the message was consumed when it was
     *     copied
     */
    public void giveBack() {
        if (copy != null) {
            throw new IllegalStateException("topic " + topic
                    + ": a message that was copied for an executor cannot be given back; subscribe without one");
        }
        isGivenBack = true;
    }

    /** Returns true once after {@link #giveBack}, then false. */
    boolean wasGivenBack() {
        if (!isGivenBack) {
            return false;
        }
        isGivenBack = false;
        return true;
    }

    /** Returns the length of the message in bytes, excluding its headers. */
    public int length() {
        return length;
    }

    /** Returns the byte at an index. */
    public byte getByte(int index) {
        check(index, Byte.BYTES);
        return bytes != null ? bytes.get(offset + index) : transfer.getByte(start + index);
    }

    /** Returns the big-endian int at an index. */
    public int getInt(int index) {
        check(index, Integer.BYTES);
        return bytes != null ? bytes.getInt(offset + index) : transfer.getInt(start + index);
    }

    /** Returns the big-endian long at an index. */
    public long getLong(int index) {
        check(index, Long.BYTES);
        return bytes != null ? bytes.getLong(offset + index) : transfer.getLong(start + index);
    }

    /** Copies {@code count} bytes of the message, starting at {@code index}, into an array. */
    public void get(int index, byte[] into, int intoOffset, int count) {
        check(index, count);
        if (bytes != null) {
            bytes.get(offset + index, into, intoOffset, count);
        } else {
            transfer.get(start + index, into, intoOffset, count);
        }
    }

    /** Returns the number of vecs: 0 for an empty message, 2 for one that wraps around the end of the buffer. */
    public int vecCount() {
        return copy == null ? vecs.count(transfer, start, length) : Math.min(length, 1);
    }

    /**
     * Returns one of the message's vecs as a read-only buffer; the bytes between its position and limit belong to the
     * message. The buffer is direct unless the handler's subscription has an executor.
     */
    public ByteBuffer vec(int i) {
        if (copy != null) {
            Objects.checkIndex(i, vecCount());
            return copy.buffer();
        }
        return vecs.vec(transfer, start, length, i);
    }

    /** Returns a copy of the message and its headers, which remains valid after the handler has returned. */
    public ReceivedMessage copy() {
        if (copy != null) {
            return copy;
        }
        int headersLength = headers == null ? 0 : headers.length();
        byte[] all = new byte[headersLength + length];
        if (headersLength > 0) {
            headers.copy(0, all, 0, headersLength);
        }
        get(0, all, headersLength, length);
        return new ReceivedMessage(topic, publisher, all, headersLength);
    }

    /** Returns a copy of the message, excluding its headers. */
    public byte[] toBytes() {
        byte[] copy = new byte[length];
        get(0, copy, 0, length);
        return copy;
    }

    /** Decodes the message as UTF-8, replacing each malformed sequence of bytes with U+FFFD. */
    public String text() {
        return new String(toBytes(), StandardCharsets.UTF_8);
    }

    private void check(int index, int count) {
        if ((index | count) < 0 || count > length - index) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count + " length=" + length);
        }
    }
}
