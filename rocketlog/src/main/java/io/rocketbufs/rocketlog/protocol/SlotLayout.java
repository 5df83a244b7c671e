package io.rocketbufs.rocketlog.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layout of a client's slots: memory of the broker that contains one word for each segment that the client has
 * opened. The client reads the words, so the broker need not notify it of new records. All numbers are big-endian.
 *
 * <pre>
 *  bit 63   62      61                                          0
 *  +------+-------+---------------------------------------------+
 *  | 0    | ended | readable position: where the last batch ends |   x 512
 *  +------+-------+---------------------------------------------+
 * </pre>
 *
 * <p>While a segment is open, the value of its word only increases, because <i>ended</i> is set last.
 *
 * <p><i>Thread-safety:</i> only one thread at a time may publish to a slot. A word is stored with release semantics,
 * after the bytes that it announces.
 */
public final class SlotLayout {
    /** Length of all slots in bytes. */
    public static final int LENGTH = 4096;

    /** Number of slots. */
    public static final int COUNT = LENGTH / Long.BYTES;

    private static final long ENDED = 1L << 62;
    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private SlotLayout() {}

    /** Returns the offset of a slot in the memory, in bytes. */
    public static int place(int slot) {
        return slot * Long.BYTES;
    }

    /** Clears a slot before it is used. */
    public static void clear(ByteBuffer slots, int slot) {
        WORD.setRelease(slots, place(slot), 0L);
    }

    /** Publishes a position, unless the slot already contains a higher position. */
    public static void publish(ByteBuffer slots, int slot, long position, boolean isEnded) {
        long word = isEnded ? position | ENDED : position;
        if (word > (long) WORD.get(slots, place(slot))) {
            WORD.setRelease(slots, place(slot), word);
        }
    }

    /** Marks a slot as ended at its current position. */
    public static void end(ByteBuffer slots, int slot) {
        WORD.setRelease(slots, place(slot), (long) WORD.get(slots, place(slot)) | ENDED);
    }

    /** Returns the readable position in a word. */
    public static long position(long word) {
        return word & ~ENDED;
    }

    /** Returns true if no records will follow the readable position of a word. */
    public static boolean isEnded(long word) {
        return (word & ENDED) != 0;
    }
}
