package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/**
 * A parser of MP4 boxes (ISO/IEC 14496-12). A box has a 32-bit length, a four-letter name, and content.
 *
 * <p><b>Thread-safety:</b> stateless.
 */
final class Mp4Boxes {
    /** Length of a box's header in bytes, or {@link #LONG_HEADER_LENGTH} if the header contains a 64-bit length. */
    static final int HEADER_LENGTH = 8;

    static final int LONG_HEADER_LENGTH = 16;

    private Mp4Boxes() {}

    /** Converts a box name from letters to a number. */
    static int name(String letters) {
        return ByteBuffer.wrap(letters.getBytes(StandardCharsets.ISO_8859_1)).getInt();
    }

    /** Converts a box name from a number to letters. */
    static String letters(int name) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(name).array();
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /**
     * Calls a visitor with the name and the content of each box in a buffer.
     *
     * @throws MediaException if a box does not fit into its parent
     */
    static void each(ByteBuffer boxes, BiConsumer<Integer, ByteBuffer> visitor) {
        ByteBuffer rest = boxes.slice();
        while (rest.remaining() >= HEADER_LENGTH) {
            int start = rest.position();
            long length = rest.getInt() & 0xffff_ffffL;
            int name = rest.getInt();
            if (length == 1 && rest.remaining() >= Long.BYTES) {
                length = rest.getLong();
            }
            int header = rest.position() - start;
            if (length < header || length > rest.limit() - start) {
                throw new MediaException("has a box " + letters(name) + " of " + length + " bytes, but only "
                        + (rest.limit() - start) + " bytes are left");
            }
            visitor.accept(name, rest.slice(start + header, (int) length - header));
            rest.position(start + (int) length);
        }
    }
}
