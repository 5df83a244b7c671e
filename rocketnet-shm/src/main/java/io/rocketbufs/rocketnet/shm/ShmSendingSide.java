package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;

/**
 * The sending side of a connection: copies records to the channel of the peer's memory. A record is copied either
 * completely or not at all, so the caller's memory is never in use after a call.
 *
 * <p><b>Thread-safety:</b> one caller at a time: the thread that holds the connection's sending side.
 */
final class ShmSendingSide {
    private final ShmMemory memory;
    private final ByteBuffer channel;
    private final int channelLength;
    private final ShmSocket socket;

    private long produced;
    /** The peer's consumed position, as last read and checked. */
    private long consumed;

    private boolean unannounced;
    /** True after NO_WINDOW. The sending side sets it before the announcement to the peer, and the worker clears it. */
    private volatile boolean waiting;

    private boolean finished;

    ShmSendingSide(ShmMemory memory, ShmSocket socket) {
        this.memory = memory;
        this.socket = socket;
        channel = memory.channel();
        channelLength = memory.channelLength();
    }

    /**
     * Copies a write.
     *
     * @throws ShmViolation if the peer has published an impossible position
     */
    PostResult write(WriteRequest request) {
        Vecs vecs = request.vecs();
        checkMayBegin("write", vecs.totalLength(), ShmLayout.LONGEST_WRITE);
        int length = (int) vecs.totalLength();
        if (!makeRoom(ShmLayout.recordLength(length))) {
            return PostResult.NO_WINDOW;
        }
        int offset = ShmLayout.offset(produced, channelLength);
        ShmLayout.putHeader(channel, offset, ShmLayout.WRITE, length, request.immediate());
        int at = offset + ShmLayout.RECORD_HEADER_LENGTH;
        for (int i = 0; i < vecs.count(); i++) {
            channel.put(at, vecs.window(i), vecs.offset(i), vecs.length(i));
            at += vecs.length(i);
        }
        publish(length);
        if (!request.more()) {
            push();
        }
        return PostResult.SENT;
    }

    /**
     * Copies a control message.
     *
     * @throws ShmViolation if the peer has published an impossible position
     */
    PostResult send(ByteBuffer message) {
        int length = message.remaining();
        checkMayBegin("send", length, ShmLayout.LONGEST_CONTROL);
        if (!makeRoom(ShmLayout.recordLength(length))) {
            return PostResult.NO_WINDOW;
        }
        int offset = ShmLayout.offset(produced, channelLength);
        ShmLayout.putHeader(channel, offset, ShmLayout.CONTROL, length, 0);
        channel.put(offset + ShmLayout.RECORD_HEADER_LENGTH, message, message.position(), length);
        publish(length);
        push();
        return PostResult.SENT;
    }

    /**
     * Writes to one of the peer's words. The peer reads the word without being woken.
     *
     * @throws ShmViolation if the peer has not lent this word
     */
    PostResult writeWord(RemoteAccess word, long value) {
        checkMayBegin("write a word", Long.BYTES, Long.BYTES);
        memory.storeWord(ShmWords.place(word), value);
        return PostResult.SENT;
    }

    private void checkMayBegin(String operation, long length, int longest) {
        if (length > longest) {
            throw new IllegalArgumentException(operation + " is too long: length=" + length + ", longest=" + longest);
        }
        if (finished) {
            throw new IllegalStateException("cannot send after finish()");
        }
    }

    private void publish(int length) {
        produced += ShmLayout.recordLength(length);
        memory.publish(ShmLayout.PRODUCED, produced);
        unannounced = true;
    }

    /** Makes room for a record that does not cross the end of the channel. Returns false if there is no room. */
    private boolean makeRoom(int recordLength) {
        int tail = channelLength - ShmLayout.offset(produced, channelLength);
        int needed = recordLength <= tail ? recordLength : tail + recordLength;
        if (needed > room() && !makeRoomOrAnnounce(needed)) {
            return false;
        }
        if (needed > recordLength) {
            int offset = ShmLayout.offset(produced, channelLength);
            ShmLayout.putHeader(channel, offset, ShmLayout.PADDING, tail - ShmLayout.RECORD_HEADER_LENGTH, 0);
            produced += tail;
        }
        return true;
    }

    private boolean makeRoomOrAnnounce(int needed) {
        readConsumed();
        if (needed <= room()) {
            return true;
        }
        push();
        waiting = true;
        memory.announce(ShmLayout.SENDER_WAITS);
        readConsumed();
        return needed <= room();
    }

    /**
     * Returns whether the peer has made room since a record was refused. Called by the worker. Until the peer has taken
     * the announcement, another attempt would be refused again.
     */
    boolean takeRoom() {
        boolean taken = waiting && !memory.isFlagSet(ShmLayout.SENDER_WAITS);
        if (taken) {
            waiting = false;
        }
        return taken;
    }

    private long room() {
        return channelLength - (produced - consumed);
    }

    private void readConsumed() {
        long position = memory.position(ShmLayout.CONSUMED);
        if (position < consumed || position > produced) {
            throw new ShmViolation("invalid consumed position: position=" + position + ", last=" + consumed
                    + ", produced=" + produced);
        }
        consumed = position;
    }

    /** Wakes the peer if it sleeps and there are records for which it has not been woken. */
    void push() {
        if (unannounced) {
            unannounced = false;
            if (memory.takeAnnouncement(ShmLayout.RECEIVER_SLEEPS)) {
                socket.wake();
            }
        }
    }

    /** Reports that no more records will follow. */
    void finish() {
        if (!finished) {
            finished = true;
            memory.setFlag(ShmLayout.FINISHED, true);
            unannounced = true;
            push();
        }
    }
}
