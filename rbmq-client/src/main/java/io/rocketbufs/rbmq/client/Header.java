package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import io.rocketbufs.rbmq.protocol.Utf8;
import java.nio.charset.StandardCharsets;

/**
 * One header of a received message: a key and a value, read in place.
 *
 * <p><b>Thread-safety:</b> the thread that called the handler. <b>Ownership:</b> the object is reused for other
 * headers. A header passed to a {@link HeaderVisitor} is valid until the visitor returns. A header returned by
 * {@link MessageHeaders#find} is valid until the next lookup in the same headers. Neither remains valid after the
 * message.
 */
public final class Header {
    /** Number of characters of {@link Long#MIN_VALUE}, the longest decimal number. */
    private static final int LONGEST_NUMBER = 20;

    private final MessageHeaders headers;
    private int pair;
    private int keyByte;
    private int valueStart;
    private int valueLength;
    /** End of the current pair, where the next one begins. */
    private int end;

    Header(MessageHeaders headers) {
        this.headers = headers;
    }

    // A cursor over the pairs.

    /** Moves this cursor to the position before the first pair. */
    Header rewind() {
        end = HeaderLayout.LENGTH_FIELD;
        return this;
    }

    /** Moves to the next pair; returns false if there is none, or if it is truncated. */
    boolean next() {
        int left = headers.length() - end;
        if (left <= 0) {
            return false;
        }
        int nextKeyByte = headers.byteAt(end) & 0xff;
        int valueOffset = HeaderLayout.valueOffset(nextKeyByte);
        if (valueOffset > left) {
            return false;
        }
        int lengthAt = end + HeaderLayout.valueLengthOffset(nextKeyByte);
        int length = HeaderLayout.length(headers.byteAt(lengthAt), headers.byteAt(lengthAt + 1));
        if (length > left - valueOffset) {
            return false;
        }
        pair = end;
        keyByte = nextKeyByte;
        valueStart = pair + valueOffset;
        valueLength = length;
        end = valueStart + length;
        return true;
    }

    /** Returns true if this cursor has passed the last pair without stopping at a truncated one. */
    boolean isAtEnd() {
        return end == headers.length();
    }

    /** Returns true if {@link HeaderKey} allows the key. */
    boolean hasValidKey() {
        int state = keyByte == 0 ? HeaderKey.MALFORMED : HeaderKey.CHARACTER;
        int keyEnd = keyStart() + HeaderLayout.keyLength(keyByte);
        for (int i = keyStart(); i < keyEnd && state != HeaderKey.MALFORMED; i++) {
            state = HeaderKey.next(state, headers.byteAt(i));
        }
        return state == HeaderKey.CHARACTER;
    }

    /** Returns true if this header has the given key. */
    boolean isKey(String key, int code) {
        if (HeaderLayout.isWellKnown(keyByte)) {
            return HeaderLayout.code(keyByte) == code;
        }
        int at = keyStart();
        int keyEnd = at + HeaderLayout.keyLength(keyByte);
        for (int i = 0; i < key.length(); ) {
            int character = key.codePointAt(i);
            int count = Utf8.length(character);
            if (count > keyEnd - at) {
                return false;
            }
            for (int part = 0; part < count; part++) {
                if (headers.byteAt(at++) != Utf8.byteOf(character, count, part)) {
                    return false;
                }
            }
            i += Character.charCount(character);
        }
        return at == keyEnd;
    }

    private int keyStart() {
        return pair + HeaderLayout.KEY_OFFSET;
    }

    // For applications.

    /** Returns the key. Allocates a String unless the key is well-known. */
    public String key() {
        if (HeaderLayout.isWellKnown(keyByte)) {
            return HeaderKey.name(HeaderLayout.code(keyByte));
        }
        return text(keyStart(), HeaderLayout.keyLength(keyByte));
    }

    /** Returns true if this header has the given key. */
    public boolean isKey(String key) {
        return isKey(key, HeaderKey.code(key));
    }

    /** Returns the value as text, replacing malformed UTF-8 with U+FFFD. */
    public String text() {
        return text(valueStart, valueLength);
    }

    /**
     * Returns the value as a number.
     *
     * @return the number; {@code otherwise} when the value is not the decimal text of a long
     */
    public long number(long otherwise) {
        boolean negative = valueLength > 0 && headers.byteAt(valueStart) == '-';
        int at = negative ? valueStart + 1 : valueStart;
        if (at == end || valueLength > LONGEST_NUMBER) {
            return otherwise;
        }
        // The number is computed as a negative one, because Long.MIN_VALUE has no positive counterpart.
        long number = 0;
        for (; at < end; at++) {
            int digit = headers.byteAt(at) - '0';
            if (digit < 0 || digit > 9 || number < (Long.MIN_VALUE + digit) / 10) {
                return otherwise;
            }
            number = number * 10 - digit;
        }
        if (negative) {
            return number;
        }
        return number == Long.MIN_VALUE ? otherwise : -number;
    }

    /** Returns the length of the value in bytes. */
    public int length() {
        return valueLength;
    }

    /** Returns the byte at an index of the value. */
    public byte getByte(int index) {
        check(index, Byte.BYTES);
        return headers.byteAt(valueStart + index);
    }

    /** Copies {@code count} bytes of the value, starting at {@code index}, into an array. */
    public void get(int index, byte[] into, int intoOffset, int count) {
        check(index, count);
        headers.copy(valueStart + index, into, intoOffset, count);
    }

    /** Returns a copy of the value. */
    public byte[] toBytes() {
        byte[] copy = new byte[valueLength];
        headers.copy(valueStart, copy, 0, valueLength);
        return copy;
    }

    private String text(int start, int length) {
        byte[] utf8 = new byte[length];
        headers.copy(start, utf8, 0, length);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private void check(int index, int count) {
        if ((index | count) < 0 || count > valueLength - index) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count + " length=" + valueLength);
        }
    }
}
