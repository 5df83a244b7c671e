package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.Segment;

/**
 * The layout of a message's headers: the length of all pairs in bytes, followed by 1 to 255 pairs of a key and a value.
 * The payload follows the last pair. A message without headers has no header block. Lengths are unsigned and
 * big-endian.
 *
 * <pre>
 *  0              2                                 2+length
 *  +--------------+-----------+-----------+---------+-----------
 *  |    length    |   pair    |   pair    |    …    | payload …
 *  +--------------+-----------+-----------+---------+-----------
 *
 *  pair with a key in text
 *  0   1      1            1+k              3+k           3+k+v
 *  +---+------+------------+----------------+-------------+
 *  | 0 |  k   |   key  …   | value length v |   value …   |
 *  +---+------+------------+----------------+-------------+
 *
 *  pair with a well-known key
 *  0   1      1                3            3+v
 *  +---+------+----------------+-------------+
 *  | 1 | code | value length v |   value …   |
 *  +---+------+----------------+-------------+
 * </pre>
 *
 * The first byte of a pair is its <i>key byte</i>. Its top bit states whether the key is well-known. Its other 7 bits
 * contain the length of the key, 1 to 127, or the key's code. {@link HeaderKey} defines the valid keys and the codes. A
 * value has any length up to the end of the block. A key may occur more than once; a lookup returns the first pair with
 * the key.
 */
public final class HeaderLayout {
    /** Length of the block's length field, in bytes. */
    public static final int LENGTH_FIELD = Short.BYTES;

    /** Maximum total length of all pairs, in bytes. */
    public static final int MAX_LENGTH = 0xffff;

    /** Maximum number of pairs. It limits the duration of a lookup. */
    public static final int MAX_COUNT = 255;

    /** Offset of a key's text within its pair. */
    public static final int KEY_OFFSET = 1;

    private static final int VALUE_LENGTH = Short.BYTES;
    private static final int WELL_KNOWN = 0x80;

    private HeaderLayout() {}

    /** Writes the length of all pairs, given the length of the block. */
    public static void putBlockLength(byte[] block, int blockLength) {
        putLength(block, 0, blockLength - LENGTH_FIELD);
    }

    /**
     * Returns true if headers including the given well-known key fill a range of a segment, so that no payload follows
     * them; false if they are malformed.
     */
    public static boolean fill(Segment segment, long start, long length, String key) {
        long end = start + length;
        long pair = start + LENGTH_FIELD;
        if (pair > end || pair + length(segment.getByte(start), segment.getByte(start + 1)) != end) {
            return false;
        }
        boolean found = false;
        while (pair < end) {
            int keyByte = segment.getByte(pair) & 0xff;
            long value = pair + valueOffset(keyByte);
            if (value > end) {
                return false;
            }
            found |= isWellKnown(keyByte) && code(keyByte) == HeaderKey.code(key);
            pair = value + length(segment.getByte(value - VALUE_LENGTH), segment.getByte(value - VALUE_LENGTH + 1));
        }
        return found && pair == end;
    }

    /** Returns true if a key byte contains a code instead of the length of a text. */
    public static boolean isWellKnown(int keyByte) {
        return keyByte >= WELL_KNOWN;
    }

    /** Returns the code in a key byte. */
    public static int code(int keyByte) {
        return keyByte & ~WELL_KNOWN;
    }

    /** Returns the number of bytes between a key byte and the value's length. */
    public static int keyLength(int keyByte) {
        return isWellKnown(keyByte) ? 0 : keyByte;
    }

    /** Returns the offset of the value's length within the pair. */
    public static int valueLengthOffset(int keyByte) {
        return KEY_OFFSET + keyLength(keyByte);
    }

    /** Returns the offset of the value within the pair. */
    public static int valueOffset(int keyByte) {
        return valueLengthOffset(keyByte) + VALUE_LENGTH;
    }

    /** Returns a length from its two bytes. */
    public static int length(byte high, byte low) {
        return (high & 0xff) << Byte.SIZE | low & 0xff;
    }

    /** Returns the length of the value of a pair in an array. */
    public static int valueLength(byte[] block, int pair) {
        int at = pair + valueLengthOffset(block[pair] & 0xff);
        return length(block[at], block[at + 1]);
    }

    /** Returns the length of a pair in an array. */
    public static int pairLength(byte[] block, int pair) {
        return valueOffset(block[pair] & 0xff) + valueLength(block, pair);
    }

    /** Returns the length of a pair. */
    public static int pairLength(String key, int valueLength) {
        int textLength = HeaderKey.code(key) < 0 ? Utf8.length(key) : 0;
        return KEY_OFFSET + textLength + VALUE_LENGTH + valueLength;
    }

    /**
     * Writes the key and the value's length of a pair.
     *
     * @return the offset of the value in the array
     */
    public static int putKey(byte[] block, int pair, String key, int valueLength) {
        int code = HeaderKey.code(key);
        int end = pair + KEY_OFFSET;
        if (code < 0) {
            end = Utf8.put(key, block, end);
            block[pair] = (byte) (end - pair - KEY_OFFSET);
        } else {
            block[pair] = (byte) (WELL_KNOWN | code);
        }
        putLength(block, end, valueLength);
        return end + VALUE_LENGTH;
    }

    private static void putLength(byte[] block, int at, int length) {
        block[at] = (byte) (length >> Byte.SIZE);
        block[at + 1] = (byte) length;
    }
}
