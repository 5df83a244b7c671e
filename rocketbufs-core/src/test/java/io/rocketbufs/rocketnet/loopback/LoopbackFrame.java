package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One frame in transit: a write, a control message, a number for a lent word, a read or atomic operation, or the end of
 * the direction.
 *
 * <p>A byte is read from the sender's memory until it has been copied. The bytes [0, {@link #copied}) are in
 * {@link #copy}.
 *
 * <p><b>Thread-safety:</b> guarded by its {@link LoopbackPipe}.
 */
final class LoopbackFrame {
    /** The kind of a frame. */
    enum Kind {
        /** A write with immediate data. */
        WRITE,
        /** A piece of a write without notification of the receiver. */
        PUT,
        /** A control message. */
        CONTROL,
        /** A number to be written into a word that the receiver has lent. */
        WORD,
        /** A read or an atomic operation. */
        FETCH,
        /** The end of the direction; no more frames follow. */
        FINISH
    }

    /** A put. Its pieces arrive one by one. */
    static final class Put {
        private final int length;
        private int missing;

        private Put(int length, int pieces) {
            this.length = length;
            missing = pieces;
        }

        int length() {
            return length;
        }

        /** Called once for each piece that has arrived. Returns true if this piece was the last one. */
        boolean pieceArrived() {
            missing--;
            return missing == 0;
        }
    }

    private final Kind kind;
    private final int immediate;
    private final int length;
    private final RemoteBuffer remote;
    private final long remoteOffset;
    private final long dueNs;
    private final Vecs local;
    private final long checksum;
    private ByteBuffer copy;
    private RemoteAccess word;
    private LoopbackFetch fetch;
    private Put put;
    private int copied;
    private int sent;
    private int landed;

    private LoopbackFrame(Kind kind, WriteRequest request, Vecs local, ByteBuffer copy, long dueNs) {
        this(kind, request, 0, local, copy, dueNs);
    }

    /** @param done number of bytes of the request in other frames for lower addresses */
    private LoopbackFrame(Kind kind, WriteRequest request, int done, Vecs local, ByteBuffer copy, long dueNs) {
        this.kind = kind;
        this.immediate = request == null ? 0 : request.immediate();
        this.remote = request == null ? null : request.remote();
        this.remoteOffset = request == null ? 0 : request.remoteOffset() + done;
        this.local = local;
        this.copy = copy;
        this.dueNs = dueNs;
        length = copy == null ? (int) local.totalLength() : copy.capacity();
        checksum = copy == null ? LoopbackBytes.checksum(local) : LoopbackBytes.checksum(copy);
        copied = copy == null ? 0 : length;
    }

    static LoopbackFrame write(WriteRequest request, long dueNs) {
        boolean empty = request.vecs().totalLength() == 0;
        Vecs local = LoopbackBytes.copyOf(request.vecs());
        return new LoopbackFrame(Kind.WRITE, request, local, empty ? ByteBuffer.allocate(0) : null, dueNs);
    }

    /**
     * Returns the pieces of a put. Copies its bytes immediately, because puts do not arrive in order.
     *
     * @param cuts the offsets at which a piece ends and the next one begins, in ascending order
     * @param dueNs called for each piece; returns its {@link #dueNs()}
     */
    static List<LoopbackFrame> put(WriteRequest request, int[] cuts, LongSupplier dueNs) {
        int length = (int) request.vecs().totalLength();
        Put put = new Put(length, cuts.length + 1);
        List<LoopbackFrame> pieces = new ArrayList<>();
        for (int i = 0; i <= cuts.length; i++) {
            int from = i == 0 ? 0 : cuts[i - 1];
            ByteBuffer bytes = ByteBuffer.allocate((i == cuts.length ? length : cuts[i]) - from);
            LoopbackBytes.gather(request.vecs(), from, bytes.capacity(), bytes, 0);
            LoopbackFrame piece = new LoopbackFrame(Kind.PUT, request, from, null, bytes, dueNs.getAsLong());
            piece.put = put;
            pieces.add(piece);
        }
        return pieces;
    }

    static LoopbackFrame control(ByteBuffer message, long dueNs) {
        ByteBuffer copy = ByteBuffer.allocate(message.remaining())
                .put(message.duplicate())
                .clear();
        return new LoopbackFrame(Kind.CONTROL, null, null, copy, dueNs);
    }

    static LoopbackFrame word(RemoteAccess word, long value, long dueNs) {
        ByteBuffer copy = ByteBuffer.allocate(Long.BYTES).putLong(0, value);
        LoopbackFrame frame = new LoopbackFrame(Kind.WORD, null, null, copy, dueNs);
        frame.word = word;
        return frame;
    }

    static LoopbackFrame fetch(LoopbackFetch fetch, long dueNs) {
        LoopbackFrame frame = new LoopbackFrame(Kind.FETCH, null, null, ByteBuffer.allocate(fetch.length()), dueNs);
        frame.fetch = fetch;
        return frame;
    }

    static LoopbackFrame finish(long dueNs) {
        return new LoopbackFrame(Kind.FINISH, null, null, ByteBuffer.allocate(0), dueNs);
    }

    Kind kind() {
        return kind;
    }

    int immediate() {
        return immediate;
    }

    int length() {
        return length;
    }

    RemoteBuffer remote() {
        return remote;
    }

    /** Returns the read or the atomic operation. */
    LoopbackFetch fetch() {
        return fetch;
    }

    /** Returns the put of which this frame is a piece. */
    Put put() {
        return put;
    }

    RemoteAccess word() {
        return word;
    }

    /** Returns the number to be written into the word. */
    long value() {
        return copy.getLong(0);
    }

    long remoteOffset() {
        return remoteOffset;
    }

    /** Returns the earliest {@link System#nanoTime()} at which the frame may arrive. */
    long dueNs() {
        return dueNs;
    }

    int copied() {
        return copied;
    }

    /**
     * Returns the number of bytes that have left the sender. Used if there is a socket buffer between the two sides.
     */
    int sent() {
        return sent;
    }

    void sent(int count) {
        sent += count;
    }

    /** Returns the number of bytes that are in the receiver's memory. */
    int landed() {
        return landed;
    }

    void landed(int count) {
        landed += count;
    }

    boolean complete() {
        return landed == length;
    }

    /** Returns the copied bytes of a control message, for the handler. */
    ByteBuffer message() {
        return copy.asReadOnlyBuffer();
    }

    /** Copies the next {@code count} bytes. Afterwards, the sender's memory for these bytes is no longer needed. */
    void copy(int count) {
        if (copy == null) {
            copy = ByteBuffer.allocate(length);
        }
        LoopbackBytes.gather(local, copied, count, copy, copied);
        copied += count;
    }

    /** Writes the next {@code count} bytes, which have already been copied, to the memory chosen by the receiver. */
    void scatter(int count, Vecs placed) {
        LoopbackBytes.scatter(copy, landed, count, placed);
    }

    /** Writes the next {@code count} bytes into {@code target} at {@code targetOffset}. */
    void gather(int count, ByteBuffer target, int targetOffset) {
        if (copied == length) {
            target.put(targetOffset, copy, landed, count);
        } else {
            LoopbackBytes.gather(local, landed, count, target, targetOffset);
        }
    }

    /** Returns true if the bytes are unchanged since they were posted. Otherwise, their memory was reused too early. */
    boolean unchanged() {
        return checksum == (copied == length ? LoopbackBytes.checksum(copy) : LoopbackBytes.checksum(local));
    }
}
