package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpFrameLayout.HEADER_LENGTH;
import static io.rocketbufs.rocketnet.tcp.TcpFrameLayout.LONGEST_CONTROL;
import static io.rocketbufs.rocketnet.tcp.TcpFrameLayout.LONGEST_WRITE;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.WriteRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The sending side of a connection: writes frames, and keeps the rest of a frame that does not fit into the socket's
 * send buffer. The rest is a list of ranges in the caller's memory, or a private copy once the caller needs its memory
 * back. Nothing else is queued, except short frames that are held back.
 *
 * <p>Consecutive short frames, for example from many buffers with little data each, are copied to private memory and
 * sent with one system call. A system call costs more than copying a few KiB. It also costs the receiver more, because
 * each call on this side may wake the receiver.
 *
 * <p><b>Thread-safety:</b> one caller at a time: the thread that holds the connection's sending side.
 */
final class TcpSendingSide {
    /** Length in bytes of the private memory, which stores a control message or several short frames. */
    static final int PRIVATE_LENGTH = 64 << 10;

    /**
     * Length in bytes of the longest frame that is copied and held back to be sent with later frames. Copying it takes
     * about as long as a system call.
     */
    static final int LONGEST_KEPT = 4 << 10;

    private final TcpSocket socket;
    private final MemoryPool memory;
    private final ByteBuffer privateWindow;
    private final long privateAddress;

    private long header;
    private final Vecs committed = new Vecs(TcpSocket.VECS_PER_WRITE);
    private long rest;
    /**
     * Number of bytes in private memory that wait to be sent with later frames. While this number is positive,
     * {@link #rest} is 0.
     */
    private int kept;

    private boolean posted;
    private Region withdrawn;
    private boolean finishing;

    /**
     * Creates a sending side for a socket that has not been written to.
     *
     * @param memory provides memory for the copy that {@link #withdraw} makes
     * @param privateWindow memory of {@link #PRIVATE_LENGTH} bytes, used by this object until the socket is closed
     * @param privateAddress address of the first byte of {@code privateWindow}
     */
    TcpSendingSide(TcpSocket socket, MemoryPool memory, ByteBuffer privateWindow, long privateAddress) {
        this.socket = socket;
        this.memory = memory;
        this.privateWindow = privateWindow;
        this.privateAddress = privateAddress;
    }

    PostResult write(WriteRequest request) throws IOException {
        Vecs vecs = request.vecs();
        checkLength("write", vecs.totalLength(), LONGEST_WRITE);
        if (vecs.count() > TcpSocket.VECS_PER_WRITE) {
            throw new IllegalArgumentException(
                    "too many ranges in a write: count=" + vecs.count() + ", maximum=" + TcpSocket.VECS_PER_WRITE);
        }
        if (!mayBegin()) {
            return PostResult.NO_WINDOW;
        }
        long frameHeader = TcpFrameLayout.write(request.immediate(), (int) vecs.totalLength());
        long length = HEADER_LENGTH + vecs.totalLength();
        if (length > PRIVATE_LENGTH - kept && !push()) {
            return PostResult.NO_WINDOW;
        }
        if (length <= LONGEST_KEPT && (request.more() || kept > 0)) {
            keep(frameHeader, vecs);
            return PostResult.SENT;
        }
        if (!push()) {
            return PostResult.NO_WINDOW;
        }
        socket.gather(frameHeader, vecs);
        long written = socket.write();
        if (written == length) {
            socket.allWritten();
            return PostResult.SENT;
        }
        socket.awaitWritable();
        if (written == 0) {
            return PostResult.NO_WINDOW;
        }
        commit(frameHeader, vecs, length - written);
        return PostResult.POSTED;
    }

    private void keep(long frameHeader, Vecs vecs) {
        privateWindow.putLong(kept, frameHeader);
        kept += HEADER_LENGTH;
        for (int i = 0; i < vecs.count(); i++) {
            privateWindow.put(kept, vecs.window(i), vecs.offset(i), vecs.length(i));
            kept += vecs.length(i);
        }
    }

    /**
     * Writes the frames that are held back. Returns false if part of them is still unsent; all of these frames
     * nevertheless count as sent.
     */
    boolean push() throws IOException {
        if (kept > 0) {
            socket.gather(privateWindow, 0, kept, privateAddress);
            rest = kept;
            kept = 0;
            writeRest();
        }
        return rest == 0;
    }

    /** Sends a control message that will be followed by writes or other messages. A short message is held back. */
    PostResult sendLater(ByteBuffer message) throws IOException {
        int length = message.remaining();
        if (HEADER_LENGTH + length > Math.min(LONGEST_KEPT, PRIVATE_LENGTH - kept)) {
            return send(message);
        }
        if (!mayBegin()) {
            return PostResult.NO_WINDOW;
        }
        privateWindow.putLong(kept, TcpFrameLayout.control(length));
        privateWindow.put(kept + HEADER_LENGTH, message, message.position(), length);
        kept += HEADER_LENGTH + length;
        return PostResult.SENT;
    }

    /** Sends a control message. The message is always copied: it is short, and part of it may have to be sent later. */
    PostResult send(ByteBuffer message) throws IOException {
        int length = message.remaining();
        checkLength("send", length, LONGEST_CONTROL);
        if (!mayBegin() || !push()) {
            return PostResult.NO_WINDOW;
        }
        privateWindow.putLong(0, TcpFrameLayout.control(length));
        privateWindow.put(HEADER_LENGTH, message, message.position(), length);
        socket.gather(privateWindow, 0, HEADER_LENGTH + length, privateAddress);
        rest = HEADER_LENGTH + length;
        long written = socket.write();
        rest = written == 0 ? 0 : rest - written;
        if (written != 0 && rest == 0) {
            socket.allWritten();
            return PostResult.SENT;
        }
        socket.awaitWritable();
        return written == 0 ? PostResult.NO_WINDOW : PostResult.SENT;
    }

    /** Continues sending the rest of a frame. Returns the number of posted writes that have completed. */
    int progress() throws IOException {
        boolean wasPosted = posted;
        return writeRest() && wasPosted ? 1 : 0;
    }

    /**
     * Copies the rest of a posted write to private memory, so that the write counts as completed. Returns the number of
     * posted writes that have completed.
     */
    int withdraw() {
        if (!posted) {
            return 0;
        }
        withdrawn = memory.allocate(rest);
        ByteBuffer copy = withdrawn.window(0, (int) rest);
        copyRest(copy);
        socket.gather(copy, 0, (int) rest, withdrawn.address());
        posted = false;
        committed.clear();
        return 1;
    }

    void finish() throws IOException {
        if (!finishing) {
            push();
            finishing = true;
            if (rest == 0) {
                socket.shutdownOutput();
            }
        }
    }

    /**
     * Returns whether the end is pending: {@link #finish} has been called, but data or the end of the stream remains to
     * be sent.
     */
    boolean isFinishing() {
        return finishing && (rest != 0 || socket.endWaits());
    }

    /** Called when the connection is closed. Releases the copy of the rest, and stops using the callers' memory. */
    void close() {
        rest = 0;
        kept = 0;
        posted = false;
        committed.clear();
        releaseWithdrawn();
    }

    /**
     * Returns whether a new frame may begin. First sends the rest of a frame if it is in private memory. The rest of a
     * posted write is left to {@link #progress}, which reports the completion of the write.
     */
    private boolean mayBegin() throws IOException {
        if (finishing) {
            throw new IllegalStateException("cannot send after finish()");
        }
        return !posted && writeRest();
    }

    private boolean writeRest() throws IOException {
        if (rest == 0) {
            return true;
        }
        rest -= socket.write();
        if (rest != 0) {
            socket.awaitWritable();
            return false;
        }
        socket.allWritten();
        posted = false;
        committed.clear();
        releaseWithdrawn();
        if (finishing) {
            socket.shutdownOutput();
        }
        return true;
    }

    private void commit(long frameHeader, Vecs vecs, long unwritten) {
        header = frameHeader;
        committed.clear();
        for (int i = 0; i < vecs.count(); i++) {
            committed.add(vecs.window(i), vecs.offset(i), vecs.length(i), vecs.address(i));
        }
        rest = unwritten;
        posted = true;
    }

    /** Copies the last {@code rest} bytes of the committed frame, which consists of a header and ranges. */
    private void copyRest(ByteBuffer copy) {
        long skip = HEADER_LENGTH + committed.totalLength() - rest;
        for (; skip < HEADER_LENGTH; skip++) {
            copy.put((byte) (header >>> 8 * (HEADER_LENGTH - 1 - skip)));
        }
        skip -= HEADER_LENGTH;
        for (int i = 0; i < committed.count(); i++) {
            int length = committed.length(i);
            int skipped = (int) Math.min(skip, length);
            skip -= skipped;
            copy.put(copy.position(), committed.window(i), committed.offset(i) + skipped, length - skipped);
            copy.position(copy.position() + length - skipped);
        }
    }

    private void releaseWithdrawn() {
        if (withdrawn != null) {
            withdrawn.release();
            withdrawn = null;
        }
    }

    private static void checkLength(String operation, long length, int longest) {
        if (length > longest) {
            throw new IllegalArgumentException(operation + " is too long: length=" + length + ", longest=" + longest);
        }
    }
}
