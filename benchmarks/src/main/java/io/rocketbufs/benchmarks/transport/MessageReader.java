package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;

/**
 * Places and counts arriving messages, and checks each one's number and length.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class MessageReader {
    private final Ring ring;
    private long count;
    private int offset;
    private int missing;

    MessageReader(Ring ring) {
        this.ring = ring;
        this.missing = ring.size();
    }

    /** Messages that arrived as a whole. */
    long count() {
        return count;
    }

    void place(int length, Vecs into) {
        if (length > missing) {
            throw wrong(0, length);
        }
        ring.addTo(into, offset, length);
    }

    /** Takes note of a write; true when it ends a message. */
    boolean arrived(int immediate, int length) {
        int more = length < missing ? MessageWriter.MORE : 0;
        if (immediate != ((int) count & MessageWriter.NUMBER | more) || length > missing) {
            throw wrong(immediate, length);
        }
        offset = ring.next(offset, length);
        missing -= length;
        if (missing > 0) {
            return false;
        }
        missing = ring.size();
        count++;
        return true;
    }

    private IllegalStateException wrong(int immediate, int length) {
        return new IllegalStateException("message " + count + ", of which " + missing
                + " bytes are missing, goes on with immediate=" + immediate + ", length=" + length);
    }

    /** Checks the bytes of the last round. */
    void check() {
        ring.check(count);
    }
}
