package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Body of BUFFERS_ADDED: the subscription, followed by an entry for each buffer. An entry contains the broker's id, the
 * publisher's number, and the capacity that a subscriber's buffer needs to hold the publisher's longest message.
 *
 * <pre>
 *  0              4           8           12         20
 *  +--------------+-----------+-----------+----------+-----------
 *  | subscription | buffer id | publisher | capacity | buffer id …
 *  +--------------+-----------+-----------+----------+-----------
 * </pre>
 */
public final class BuffersLayout {
    /** Maximum number of buffers in one message. */
    public static final int MAX_COUNT = 512;

    static final int FIXED_LENGTH = 4;
    static final int ENTRY_LENGTH = 16;

    private BuffersLayout() {}

    /**
     * One buffer of a topic.
     *
     * @param bufferId the broker's id for the buffer
     * @param publisher the publisher's number
     * @param capacity capacity that a subscriber's buffer needs, in bytes
     */
    public record Entry(int bufferId, int publisher, long capacity) {}

    /** Writes an entire message for at most {@link #MAX_COUNT} buffers. */
    public static ByteBuffer write(int subscription, List<Entry> entries) {
        ByteBuffer message = RbmqLayout.begin(RbmqType.BUFFERS_ADDED, FIXED_LENGTH + entries.size() * ENTRY_LENGTH);
        message.putInt(subscription);
        entries.forEach(entry -> putEntry(message, entry));
        return message.flip();
    }

    static void putEntry(ByteBuffer message, Entry entry) {
        message.putInt(entry.bufferId).putInt(entry.publisher).putLong(entry.capacity);
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the number of buffers. */
    public static int count(ByteBuffer body) {
        return (body.remaining() - FIXED_LENGTH) / ENTRY_LENGTH;
    }

    /** Returns one of the buffers. */
    public static Entry entry(ByteBuffer body, int i) {
        return entryAt(body, body.position() + FIXED_LENGTH + i * ENTRY_LENGTH);
    }

    static Entry entryAt(ByteBuffer body, int offset) {
        return new Entry(body.getInt(offset), body.getInt(offset + 4), body.getLong(offset + 8));
    }
}
