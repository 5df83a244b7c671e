package io.rocketbufs.livestream.relay;

import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import java.nio.ByteBuffer;

/**
 * A writer that copies chunks into a buffer of an ROut as they arrive. A chunk's length is unknown until its end, so
 * the reservation grows with the chunk and the header is written last. No part of a chunk is sent before the chunk is
 * sealed.
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
     * Creates a writer for a buffer without flow control.
     *
     * @param chunkLimit maximum length of a chunk in bytes, including header and trailer
     */
    ChunkWriter(ROut out, int bufferId, int chunkLimit) {
        this.out = out;
        this.bufferId = bufferId;
        this.chunkLimit = chunkLimit;
    }

    /**
     * Appends either all bytes or none to the open chunk, opening a new chunk if necessary. The position of
     * {@code bytes} does not change.
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
            // For example, the memory to be overwritten is still being sent to an edge, which will finish shortly.
            return got == Segment.CLOSED ? Append.CLOSED : Append.TRY_AGAIN;
        }
        segment = got;
        return Append.DONE;
    }

    /** Returns true while a chunk is open. */
    boolean isOpen() {
        return length > 0;
    }

    /** Returns the current length of the payload in bytes. */
    int length() {
        return length;
    }

    /**
     * Completes the chunk and delivers it.
     *
     * @param header header of the chunk; its payload length must not exceed the number of appended bytes
     */
    void seal(ChunkHeader header) {
        ChunkLayout.seal(segment, header);
        end(ChunkLayout.lengthOf(header.length()));
    }

    /** Discards the open chunk, if any. */
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
