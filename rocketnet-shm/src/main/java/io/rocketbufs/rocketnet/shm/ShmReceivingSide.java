package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportHandler;
import java.nio.ByteBuffer;

/**
 * The receiving side of a connection, which takes records out of the channel and passes them to the handler.
 *
 * <p>The peer can change the memory at any time. Therefore, each number is read only once and checked before use. A
 * control message is copied before the handler reads it.
 *
 * <p><b>Thread-safety:</b> belongs to the worker.
 */
final class ShmReceivingSide {
    /** Maximum number of records handled before other connections are served. */
    private static final int RECORDS_PER_TURN = 1024;

    /** Maximum number of ranges into which one write may be placed. */
    private static final int VECS_PER_PLACE = 16;

    /** The reason why a call to {@link #turn} ended. */
    enum Turn {
        /** There are currently no more records. */
        DRAINED,
        /** There may be more records. */
        MORE,
        /** The peer has finished, and all records have been handled. */
        END,
        /** {@link #stop} was called. */
        STOPPED
    }

    private final ShmMemory memory;
    private final ByteBuffer channel;
    private final int channelLength;
    private final ShmSocket socket;
    private final TransportHandler handler;
    private final ByteBuffer message = ByteBuffer.allocate(ShmLayout.LONGEST_CONTROL);
    private final Vecs into = new Vecs(VECS_PER_PLACE);

    /** The end of the records that the peer has published, as last read and checked. */
    private long produced;

    private long consumed;
    private long published;
    private boolean arrivals;
    private boolean stopped;

    ShmReceivingSide(ShmMemory memory, ShmSocket socket, TransportHandler handler) {
        this.memory = memory;
        this.socket = socket;
        this.handler = handler;
        channel = memory.channel();
        channelLength = memory.channelLength();
    }

    /**
     * Handles the records that have arrived.
     *
     * @throws ShmViolation if the memory contains data that a correct peer never writes
     */
    Turn turn() {
        boolean finished = readProduced();
        for (int count = 0; count < RECORDS_PER_TURN && consumed < produced; count++) {
            record();
            if (stopped) {
                return Turn.STOPPED;
            }
            if (consumed - published >= channelLength / 4) {
                publish();
            }
            if (consumed == produced) {
                finished = readProduced();
            }
        }
        publish();
        if (consumed < produced) {
            return Turn.MORE;
        }
        return finished ? Turn.END : Turn.DRAINED;
    }

    /**
     * Reads the produced position. Returns whether it is final. The flag is read first: if it is set, the position read
     * afterwards is final.
     */
    private boolean readProduced() {
        boolean finished = memory.isFlagSet(ShmLayout.FINISHED);
        long position = memory.position(ShmLayout.PRODUCED);
        if (position < produced || position - consumed > channelLength || !ShmLayout.isAligned(position)) {
            throw new ShmViolation("invalid produced position: position=" + position + ", last=" + produced
                    + ", consumed=" + consumed + ", channel length=" + channelLength);
        }
        produced = position;
        return finished;
    }

    private void record() {
        int offset = ShmLayout.offset(consumed, channelLength);
        int kind = ShmLayout.kind(channel, offset);
        int length = ShmLayout.length(channel, offset);
        int immediate = ShmLayout.immediate(channel, offset);
        switch (kind) {
            case ShmLayout.WRITE -> {
                checkLength("write", length, ShmLayout.LONGEST_WRITE, offset);
                arrivals = true;
                write(offset + ShmLayout.RECORD_HEADER_LENGTH, length, immediate);
            }
            case ShmLayout.CONTROL -> {
                checkLength("control message", length, ShmLayout.LONGEST_CONTROL, offset);
                arrivals = true;
                control(offset + ShmLayout.RECORD_HEADER_LENGTH, length);
            }
            case ShmLayout.PADDING -> checkLength("padding", length, channelLength, offset);
            default -> throw new ShmViolation("record of unknown kind: kind=" + kind);
        }
        consumed += ShmLayout.recordLength(length);
    }

    private void checkLength(String kind, int length, int longest, int offset) {
        int available = (int) Math.min(channelLength - offset, produced - consumed);
        if (length < 0 || length > longest || ShmLayout.recordLength(length) > available) {
            throw new ShmViolation(kind + " has an invalid length: length=" + length + ", longest=" + longest
                    + ", available=" + available);
        }
    }

    private void write(int offset, int length, int immediate) {
        if (length > 0) {
            into.clear();
            handler.place(immediate, length, into);
            if (stopped) {
                return;
            }
            if (into.totalLength() != length) {
                throw new IllegalStateException("place() returned ranges of the wrong length: length=" + length
                        + ", placed=" + into.totalLength());
            }
            int from = offset;
            for (int i = 0; i < into.count(); i++) {
                into.window(i).put(into.offset(i), channel, from, into.length(i));
                from += into.length(i);
            }
        }
        handler.arrived(immediate, length);
    }

    private void control(int offset, int length) {
        message.clear().put(0, channel, offset, length).limit(length);
        handler.control(message);
    }

    /** Publishes the consumed position, and wakes the peer if it is waiting for room. */
    private void publish() {
        if (published != consumed) {
            published = consumed;
            memory.publish(ShmLayout.CONSUMED, consumed);
            boolean roomy = channelLength - (produced - consumed) >= channelLength / 2;
            if (roomy && memory.takeAnnouncement(ShmLayout.SENDER_WAITS)) {
                socket.wake();
            }
        }
    }

    /**
     * Announces that this side sleeps until it is woken. If there is data to handle, withdraws the announcement and
     * returns false.
     */
    boolean sleep() {
        memory.announce(ShmLayout.RECEIVER_SLEEPS);
        if (memory.position(ShmLayout.PRODUCED) == consumed && !memory.isFlagSet(ShmLayout.FINISHED)) {
            return true;
        }
        memory.setFlag(ShmLayout.RECEIVER_SLEEPS, false);
        return false;
    }

    /** Returns whether any data has arrived since the last call. */
    boolean takeArrivals() {
        boolean taken = arrivals;
        arrivals = false;
        return taken;
    }

    /** Stops calling the handler and accessing the memory. */
    void stop() {
        stopped = true;
        into.clear();
    }
}
