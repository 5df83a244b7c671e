package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Methods that read and write the bytes of a {@link Vecs} without changing the positions and limits of its windows. */
final class LoopbackBytes {
    private LoopbackBytes() {}

    /** The operation on one contiguous part. {@code done} is the number of bytes before this part. */
    private interface Part {
        void take(ByteBuffer window, int offset, int length, int done);
    }

    private static void forEach(Vecs vecs, int from, int length, Part part) {
        int skip = from;
        int done = 0;
        for (int i = 0; i < vecs.count() && done < length; i++) {
            int within = Math.min(skip, vecs.length(i));
            int taken = Math.min(vecs.length(i) - within, length - done);
            if (taken > 0) {
                part.take(vecs.window(i).duplicate().clear(), vecs.offset(i) + within, taken, done);
            }
            skip -= within;
            done += taken;
        }
    }

    /**
     * Copies {@code length} bytes of {@code vecs}, starting at {@code from}, to {@code target} at {@code targetOffset}.
     */
    static void gather(Vecs vecs, int from, int length, ByteBuffer target, int targetOffset) {
        forEach(vecs, from, length, (window, offset, n, done) -> target.put(targetOffset + done, window, offset, n));
    }

    /**
     * Copies {@code length} bytes of {@code source}, starting at {@code from}, to the same positions in {@code vecs}.
     */
    static void scatter(ByteBuffer source, int from, int length, Vecs vecs) {
        forEach(vecs, from, length, (window, offset, n, done) -> window.put(offset, source, from + done, n));
    }

    static long checksum(Vecs vecs) {
        CRC32C sum = new CRC32C();
        forEach(vecs, 0, (int) vecs.totalLength(), (window, offset, n, done) -> sum.update(window.slice(offset, n)));
        return sum.getValue();
    }

    static long checksum(ByteBuffer bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes.duplicate().clear());
        return sum.getValue();
    }

    static Vecs copyOf(Vecs vecs) {
        Vecs copy = new Vecs(Math.max(1, vecs.count()));
        for (int i = 0; i < vecs.count(); i++) {
            copy.add(vecs.window(i), vecs.offset(i), vecs.length(i), vecs.address(i));
        }
        return copy;
    }
}
