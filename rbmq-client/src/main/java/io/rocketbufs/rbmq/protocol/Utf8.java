package io.rocketbufs.rbmq.protocol;

/** A UTF-8 encoder that does not allocate memory. */
public final class Utf8 {
    private static final int CONTINUATION_BITS = 6;

    private Utf8() {}

    /**
     * Returns the length of a string in bytes of UTF-8.
     *
     * @throws IllegalArgumentException when the text is not well-formed Unicode, because half of a surrogate pair is
     *     missing
     */
    public static int length(String text) {
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                length++;
            } else {
                int character = text.codePointAt(i);
                if (Character.getType(character) == Character.SURROGATE) {
                    throw new IllegalArgumentException(
                            "the text is not well-formed Unicode: index " + i + " has half of a surrogate pair");
                }
                length += length(character);
                i += Character.charCount(character) - 1;
            }
        }
        return length;
    }

    /**
     * Writes a well-formed text, whose {@link #length(String)} must fit into the array.
     *
     * @return the offset of the next byte
     */
    public static int put(String text, byte[] into, int offset) {
        int at = offset;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                into[at++] = (byte) c;
            } else {
                int character = text.codePointAt(i);
                int length = length(character);
                for (int part = 0; part < length; part++) {
                    into[at++] = byteOf(character, length, part);
                }
                i += Character.charCount(character) - 1;
            }
        }
        return at;
    }

    /** Returns the number of bytes of a character in UTF-8, 1 to 4. */
    public static int length(int character) {
        if (character < 0x80) {
            return 1;
        }
        return character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }

    /**
     * Returns one byte of a character's UTF-8 encoding.
     *
     * @param length number of bytes of the character
     * @param part index of the byte
     */
    public static byte byteOf(int character, int length, int part) {
        if (length == 1) {
            return (byte) character;
        }
        int bits = character >> CONTINUATION_BITS * (length - 1 - part);
        return (byte) (part == 0 ? 0xf00 >> length | bits : 0x80 | bits & 0x3f);
    }
}
