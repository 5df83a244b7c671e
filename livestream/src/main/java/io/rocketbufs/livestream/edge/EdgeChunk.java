package io.rocketbufs.livestream.edge;

import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import io.rocketbufs.livestream.StreamDescription;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A reference to a chunk in the buffer in which it arrived. The chunk may be overwritten at any time, so callers must
 * check {@link #isIntact()} after reading it.
 *
 * <p><b>Thread-safety:</b> immutable, except for the memory that it refers to.
 */
final class EdgeChunk {
    private final EdgeBuffer buffer;
    private final StreamDescription description;
    private final ChunkHeader header;
    private final long position;
    private final long marker;
    private final ByteBuffer[] vecs;
    private final long mediaSequence;
    private final boolean discontinuity;

    private EdgeChunk(
            EdgeBuffer buffer,
            StreamDescription description,
            ChunkHeader header,
            Segment segment,
            long index,
            PlaylistPlace place) {
        this.buffer = buffer;
        this.description = description;
        this.header = header;
        this.position = segment.position() + index;
        this.marker = ChunkLayout.marker(segment, index);
        this.vecs = views(segment, index, ChunkLayout.lengthOf(header.length()));
        this.mediaSequence = place.mediaSequence;
        this.discontinuity = place.discontinuity;
    }

    /**
     * A chunk's place in the playlist.
     *
     * @param mediaSequence media sequence number of the chunk
     * @param discontinuity true if the chunk does not continue the previous one
     */
    record PlaylistPlace(long mediaSequence, boolean discontinuity) {}

    /**
     * Creates a reference to the chunk that starts at the given index of a segment. The reference remains usable after
     * the segment has been consumed.
     */
    static EdgeChunk at(
            Segment segment,
            long index,
            EdgeBuffer buffer,
            StreamDescription description,
            ChunkHeader header,
            PlaylistPlace place) {
        return new EdgeChunk(buffer, description, header, segment, index, place);
    }

    private static ByteBuffer[] views(Segment segment, long index, int length) {
        ByteBuffer first = segment.vec(0);
        int inFirst = (int) Math.max(0, Math.min(length, first.remaining() - index));
        int inSecond = length - inFirst;
        int secondFrom = (int) Math.max(0, index - first.remaining());
        ByteBuffer head = inFirst == 0 ? null : first.slice(first.position() + (int) index, inFirst);
        ByteBuffer tail =
                inSecond == 0 ? null : segment.vec(1).slice(segment.vec(1).position() + secondFrom, inSecond);
        if (head == null || tail == null) {
            return new ByteBuffer[] {head == null ? tail : head};
        }
        return new ByteBuffer[] {head, tail};
    }

    /**
     * Returns a view of at most {@code length} bytes of the payload, starting at {@code index}. The view is shorter if
     * the payload wraps around the end of the buffer.
     */
    ByteBuffer payload(int index, int length) {
        int from = ChunkLayout.payloadIndex() + index;
        int wanted = Math.min(length, header.length() - index);
        ByteBuffer first = vecs[0];
        return from < first.limit()
                ? first.slice(from, Math.min(wanted, first.limit() - from))
                : vecs[1].slice(from - first.limit(), wanted);
    }

    /**
     * Returns true if no part of the chunk has been overwritten. If so, all data that was copied or encrypted before
     * this call is valid.
     *
     * <p>The check includes the marker, which an overwrite changes first. This is necessary because the receiver may
     * not have detected the overwrite yet.
     */
    boolean isIntact() {
        // Keeps the compiler and the processor from moving earlier reads of the chunk past the check.
        VarHandle.acquireFence();
        return buffer.holds(position) && markerNow() == marker;
    }

    private long markerNow() {
        if (vecs[0].limit() >= ChunkLayout.MARKER_LENGTH) {
            return vecs[0].getLong(0);
        }
        long value = 0;
        for (int i = 0; i < ChunkLayout.MARKER_LENGTH; i++) {
            int inFirst = vecs[0].limit();
            int next = (i < inFirst ? vecs[0].get(i) : vecs[1].get(i - inFirst)) & 0xff;
            value = value << Byte.SIZE | next;
        }
        return value;
    }

    EdgeBuffer buffer() {
        return buffer;
    }

    StreamDescription description() {
        return description;
    }

    ChunkHeader header() {
        return header;
    }

    long mediaSequence() {
        return mediaSequence;
    }

    boolean isDiscontinuity() {
        return discontinuity;
    }

    /** Returns the number of bytes that the chunk occupies in the buffer, including header and trailer. */
    int wholeLength() {
        return ChunkLayout.lengthOf(header.length());
    }

    /** Returns the chunk's id, which is unique across all lives of the stream. */
    String id() {
        return Long.toHexString(description.epoch()) + "-" + header.sequence();
    }

    /** Returns the chunk's file name. */
    String fileName() {
        return id() + "." + description.container().extension();
    }
}
