package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import java.nio.ByteBuffer;

/**
 * The headers of a received message, read in place. A lookup scans the headers one by one.
 *
 * <p>If several headers have the same key, a lookup returns the first of them, and {@link #forEach} visits all of them.
 * All headers are checked before the handler is called, so reading them does not fail.
 *
 * <p><b>Thread-safety:</b> the thread that called the handler. <b>Ownership:</b> valid as long as the message, which
 * means until the handler returns. Only the Strings and arrays that are returned are allocated.
 */
public final class MessageHeaders {
    private final Header found = new Header(this);
    private final Header visited = new Header(this);
    private Segment transfer;
    private long start;
    /**
     * The memory that contains a contiguous frame, whose headers start at {@code offset}; null for a frame in two
     * pieces.
     */
    private ByteBuffer bytes;

    private int offset;
    private int length;
    private int count;
    private String problem;

    MessageHeaders() {}

    // For the reader of frames.

    /**
     * Makes this object represent the headers of a frame in contiguous memory.
     *
     * @param bodyLength length of headers and payload in bytes
     * @return false if the headers are malformed
     */
    boolean set(ByteBuffer in, int offsetThere, int bodyLength) {
        bytes = in;
        offset = offsetThere;
        return check(bodyLength);
    }

    /** Makes this object represent the headers of a frame in two pieces; otherwise like {@link #set}. */
    boolean setWrapped(Segment in, long index, int bodyLength) {
        bytes = null;
        transfer = in;
        start = index;
        return check(bodyLength);
    }

    /** Makes this object represent a message without headers. */
    void clear() {
        length = 0;
        count = 0;
    }

    /** Returns the length of the header block in bytes, including its length field; 0 without headers. */
    int length() {
        return length;
    }

    /** Describes why the headers of the last frame are malformed. */
    String problem() {
        return problem;
    }

    private boolean check(int bodyLength) {
        clear();
        problem = findProblem(bodyLength);
        if (problem != null) {
            clear();
        }
        return problem == null;
    }

    private String findProblem(int bodyLength) {
        if (bodyLength < HeaderLayout.LENGTH_FIELD) {
            return "length=" + bodyLength + ", too short for the length of the headers";
        }
        int pairsLength = HeaderLayout.length(byteAt(0), byteAt(1));
        if (pairsLength > bodyLength - HeaderLayout.LENGTH_FIELD) {
            return "the headers have " + pairsLength + " bytes, but " + (bodyLength - HeaderLayout.LENGTH_FIELD)
                    + " bytes remain of the message";
        }
        length = HeaderLayout.LENGTH_FIELD + pairsLength;
        visited.rewind();
        while (visited.next()) {
            count++;
            if (count > HeaderLayout.MAX_COUNT) {
                return "there are more than " + HeaderLayout.MAX_COUNT + " headers";
            }
            if (!visited.hasValidKey()) {
                return "the key of header " + count + " is empty, or not UTF-8 without control characters";
            }
        }
        if (!visited.isAtEnd()) {
            return "header " + (count + 1) + " is longer than the rest of the headers";
        }
        return count == 0 ? "there are no headers" : null;
    }

    byte byteAt(int index) {
        return bytes != null ? bytes.get(offset + index) : transfer.getByte(start + index);
    }

    void copy(int index, byte[] into, int intoOffset, int copied) {
        if (bytes != null) {
            bytes.get(offset + index, into, intoOffset, copied);
        } else {
            transfer.get(start + index, into, intoOffset, copied);
        }
    }

    // For applications.

    /** Returns the number of headers. */
    public int size() {
        return count;
    }

    /** Returns true if there are no headers. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Returns true if there is a header with the given key. */
    public boolean has(String key) {
        return find(key) != null;
    }

    /**
     * Returns the value with the given key as text, replacing malformed UTF-8 with U+FFFD; null if there is no such
     * header.
     */
    public String get(String key) {
        Header header = find(key);
        return header == null ? null : header.text();
    }

    /** Returns a copy of the value with the given key; null if there is no such header. */
    public byte[] getBytes(String key) {
        Header header = find(key);
        return header == null ? null : header.toBytes();
    }

    /**
     * Returns the value with the given key as a number.
     *
     * @return the number; {@code otherwise} when there is no such header, or when its value is not the decimal text of
     *     a long
     */
    public long getLong(String key, long otherwise) {
        Header header = find(key);
        return header == null ? otherwise : header.number(otherwise);
    }

    /** Returns the header with the given key; null if there is none. The next lookup reuses the object. */
    public Header find(String key) {
        int code = HeaderKey.code(key);
        found.rewind();
        while (found.next()) {
            if (found.isKey(key, code)) {
                return found;
            }
        }
        return null;
    }

    /**
     * Calls a visitor for each header, in the order in which the publisher added them. The visitor may look up headers,
     * but must not call this method.
     */
    public void forEach(HeaderVisitor visitor) {
        visited.rewind();
        while (visited.next()) {
            visitor.onHeader(visited);
        }
    }
}
