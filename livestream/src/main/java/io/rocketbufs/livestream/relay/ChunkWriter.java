package io.rocketbufs.livestream.relay;

import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import java.nio.ByteBuffer;

/**
 * Writes chunks into a buffer of an ROut while they arrive. How long one gets is known at its end: the reservation
 * grows with it, and the header is filled in last. Nothing of a chunk that was not sealed is ever sent.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
final class ChunkWriter {
    private static final int STEP = 64 * 1024;

    private final ROut out;
    private final int bufferId;
    private final int chunkLimit;
    private Segment segment;
    private int length;

    /**
     * Writes into a buffer without flow control.
     *
     * @param chunkLimit bytes of the longest chunk, with everything around the payload
     */
    ChunkWriter(ROut out, int bufferId, int chunkLimit) {
        this.out = out;
        this.bufferId = bufferId;
        this.chunkLimit = chunkLimit;
    }

    /**
     * Adds to the chunk that is open, or begins one; all of the bytes or none. The buffer's position does not change.
     */
    Append append(ByteBuffer bytes) {
        int count = bytes.remaining();
        if (count > chunkLimit - ChunkLayout.lengthOf(length)) {
            return Append.TOO_LONG;
        }
        Append room = makeRoom(ChunkLayout.lengthOf(length + count));
        if (room != Append.DONE) {
            return room;
        }
        segment.put(ChunkLayout.payloadIndex() + (long) length, bytes, bytes.position(), count);
        length += count;
        return Append.DONE;
    }

    private Append makeRoom(int needed) {
        if (segment != null && segment.length() >= needed) {
            return Append.DONE;
        }
        int wanted = Math.min(chunkLimit, needed + STEP);
        Segment got = segment == null ? out.getOutputSegment(bufferId, wanted, false) : out.extend(segment, wanted);
        if (got.vecCount() < 0) {
            // Also while an edge is just being sent what is to be overwritten, which is over soon.
            return got == Segment.CLOSED ? Append.CLOSED : Append.TRY_AGAIN;
        }
        segment = got;
        return Append.DONE;
    }

    /** True when there are bytes of a chunk. */
    boolean isOpen() {
        return length > 0;
    }

    /** Bytes of payload so far. */
    int length() {
        return length;
    }

    /**
     * Completes the chunk and hands it over.
     *
     * @param header whose length, at most what has been written, is the payload's
     */
    void seal(ChunkHeader header) {
        ChunkLayout.seal(segment, header);
        end(ChunkLayout.lengthOf(header.length()));
    }

    /** Forgets the chunk. */
    void cancel() {
        if (segment != null) {
            end(0);
        }
    }

    private void end(int whole) {
        out.deliver(segment, whole);
        segment = null;
        length = 0;
    }
}
