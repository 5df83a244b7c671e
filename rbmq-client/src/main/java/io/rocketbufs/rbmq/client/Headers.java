package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.HeaderLayout;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import io.rocketbufs.rbmq.protocol.Utf8;
import java.util.Arrays;

/**
 * The headers of messages to publish: pairs of a key and a value, stored as the bytes that are published.
 *
 * <p>A key is 1 to 127 bytes of UTF-8 without control characters. {@link HeaderKey} defines well-known keys, which are
 * encoded in one byte. A value is text, bytes, or a number, which is written as decimal text. A message has at most 255
 * headers, with a total length of at most 65,535 bytes.
 *
 * <p>An object can be used for any number of messages, and can be changed between them. Once its array has grown to the
 * required length, neither changing nor publishing the headers allocates memory.
 *
 * <p><b>Thread-safety:</b> one thread at a time. <b>Ownership:</b> methods that publish or claim copy the headers
 * before they return, so the caller may then change them. Values are copied, too. <b>Errors:</b> an invalid key or
 * value causes an {@link IllegalArgumentException}, and nothing changes.
 */
public final class Headers {
    private static final int INITIAL_LENGTH = 64;
    /** Number of characters of {@link Long#MIN_VALUE}, the longest decimal number. */
    private static final int LONGEST_NUMBER = 20;

    private final byte[] decimal = new byte[LONGEST_NUMBER];
    /** The block of headers. Its length field is written when a message is published. */
    private byte[] block = new byte[INITIAL_LENGTH];

    private int end = HeaderLayout.LENGTH_FIELD;
    private int count;

    /** Creates an object without headers. */
    public Headers() {}

    /** Creates a copy of the given headers. */
    Headers(Headers from) {
        block = Arrays.copyOf(from.block, Math.max(from.end, INITIAL_LENGTH));
        end = from.end;
        count = from.count;
    }

    /** Sets the header with the given key to a string, replacing all headers with this key. */
    public Headers set(String key, String value) {
        return replaceByLast(appendText(key, value));
    }

    /** Sets the header with the given key to a copy of a byte array, replacing all headers with this key. */
    public Headers set(String key, byte[] value) {
        return replaceByLast(append(key, value, 0, value.length));
    }

    /** Sets the header with the given key to a number in decimal text, replacing all headers with this key. */
    public Headers set(String key, long value) {
        return replaceByLast(appendNumber(key, value));
    }

    /** Adds a header with a string value; keeps other headers with this key. */
    public Headers add(String key, String value) {
        return keep(appendText(key, value));
    }

    /** Adds a header whose value is a copy of a byte array; keeps other headers with this key. */
    public Headers add(String key, byte[] value) {
        return keep(append(key, value, 0, value.length));
    }

    /** Adds a header whose value is a number in decimal text; keeps other headers with this key. */
    public Headers add(String key, long value) {
        return keep(appendNumber(key, value));
    }

    /** Removes all headers with the given key. */
    public Headers remove(String key) {
        append(key, decimal, 0, 0);
        removeLike(end);
        return this;
    }

    /** Removes all headers. */
    public Headers clear() {
        end = HeaderLayout.LENGTH_FIELD;
        count = 0;
        return this;
    }

    /** Returns the number of headers. */
    public int size() {
        return count;
    }

    /** Returns true if there are no headers. */
    public boolean isEmpty() {
        return count == 0;
    }

    /**
     * Returns the number of bytes that these headers add to a message; 0 without headers. A message with these headers
     * may be at most {@link TopicPublisher#longestMessage()} minus this number of bytes long.
     */
    public int encodedLength() {
        return count == 0 ? 0 : end;
    }

    /**
     * Writes the frame's length and these headers into the frame at an index within a segment. Without headers, writes
     * nothing.
     *
     * @param bodyLength length of headers and payload in bytes
     * @return the index of the payload within the segment
     */
    int write(Segment segment, int index, int bodyLength) {
        if (count > 0) {
            HeaderLayout.putBlockLength(block, end);
            MessageLayout.putLengthWithHeaders(segment, index, bodyLength);
            segment.put(index + MessageLayout.HEADER_LENGTH, block, 0, end);
        }
        return index + MessageLayout.HEADER_LENGTH + encodedLength();
    }

    // A new pair is first written after the last one. It becomes a header when `end` is advanced past it.

    private int appendText(String key, String value) {
        int valueLength = Utf8.length(value);
        int valueStart = begin(key, valueLength);
        return Utf8.put(value, block, valueStart);
    }

    private int appendNumber(String key, long value) {
        int first = LONGEST_NUMBER;
        long rest = value;
        do {
            decimal[--first] = (byte) ('0' + Math.abs(rest % 10));
            rest /= 10;
        } while (rest != 0);
        if (value < 0) {
            decimal[--first] = '-';
        }
        return append(key, decimal, first, LONGEST_NUMBER - first);
    }

    private int append(String key, byte[] value, int offset, int length) {
        int valueStart = begin(key, length);
        System.arraycopy(value, offset, block, valueStart, length);
        return valueStart + length;
    }

    /** Writes a key after the last header; returns the offset of the value, for which there is room. */
    private int begin(String key, int valueLength) {
        HeaderKey.check(key);
        int pairLength = HeaderLayout.pairLength(key, Math.min(valueLength, HeaderLayout.MAX_LENGTH));
        if (valueLength > HeaderLayout.MAX_LENGTH || pairLength > HeaderLayout.MAX_LENGTH) {
            throw new IllegalArgumentException("key=\"" + key + "\" value.length=" + valueLength
                    + ": the headers of a message have at most " + HeaderLayout.MAX_LENGTH + " bytes");
        }
        if (pairLength > block.length - end) {
            block = Arrays.copyOf(block, Math.max(2 * block.length, end + pairLength));
        }
        return HeaderLayout.putKey(block, end, key, valueLength);
    }

    /** Turns the pair after the last header, which ends at {@code lastEnd}, into a header. */
    private Headers keep(int lastEnd) {
        checkLimits(lastEnd - HeaderLayout.LENGTH_FIELD, count + 1);
        end = lastEnd;
        count++;
        return this;
    }

    /** Turns the new pair into a header, as {@link #keep} does, and removes all other headers with its key. */
    private Headers replaceByLast(int lastEnd) {
        int last = end;
        int likeLength = 0;
        int likeCount = 0;
        for (int pair = HeaderLayout.LENGTH_FIELD; pair < last; pair += HeaderLayout.pairLength(block, pair)) {
            if (isLike(pair, last)) {
                likeLength += HeaderLayout.pairLength(block, pair);
                likeCount++;
            }
        }
        checkLimits(lastEnd - HeaderLayout.LENGTH_FIELD - likeLength, count + 1 - likeCount);
        if (likeCount > 0) {
            removeLike(last);
            System.arraycopy(block, last, block, end, lastEnd - last);
        }
        end += lastEnd - last;
        count++;
        return this;
    }

    /**
     * Removes the headers with the same key as the pair at {@code last}. That pair, which follows the last header, is
     * kept.
     */
    private void removeLike(int last) {
        int to = HeaderLayout.LENGTH_FIELD;
        int next;
        for (int pair = to; pair < last; pair = next) {
            int pairLength = HeaderLayout.pairLength(block, pair);
            next = pair + pairLength;
            if (isLike(pair, last)) {
                count--;
            } else {
                System.arraycopy(block, pair, block, to, pairLength);
                to += pairLength;
            }
        }
        end = to;
    }

    /** Returns true if two pairs have the same key. */
    private boolean isLike(int pair, int last) {
        int keyLength = HeaderLayout.valueLengthOffset(block[last] & 0xff);
        return block[pair] == block[last]
                && Arrays.equals(block, pair, pair + keyLength, block, last, last + keyLength);
    }

    private static void checkLimits(int length, int count) {
        if (length > HeaderLayout.MAX_LENGTH || count > HeaderLayout.MAX_COUNT) {
            throw new IllegalArgumentException("the headers of a message are at most " + HeaderLayout.MAX_COUNT
                    + " with at most " + HeaderLayout.MAX_LENGTH + " bytes in total, but these are " + count + " with "
                    + length + " bytes");
        }
    }
}
