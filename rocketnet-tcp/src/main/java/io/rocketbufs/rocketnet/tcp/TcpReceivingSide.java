package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpFrameLayout.HEADER_LENGTH;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Takes frames apart, and puts what they carry into place.
 *
 * <p>Small frames, and the beginnings of large ones, are read into the worker's stage, as many as there are, and copied
 * from there. What is missing of a large one is read straight into its place. Large frames come in a row, so after one
 * only a little is read to learn of the next: a system call more, and most of a copy less.
 *
 * <p><b>Thread-safety:</b> the worker's.
 */
final class TcpReceivingSide {
    /** What a turn of reading ended with. */
    enum Turn {
        /** All has been read that there is. */
        DRAINED,
        /** The turn is over, there may be more. */
        MORE,
        /** The peer will send nothing more. */
        END,
        /** {@link #stop} was called. */
        STOPPED
    }

    /** Payload bytes from which the copy saved is worth the system call. */
    private static final int LARGE = 32 << 10;

    /** A header, and whatever small frame may come between two large ones. */
    private static final int GLANCE = 1 << 10;

    /** Reads in a row before other connections have their turn. */
    private static final int READS_PER_TURN = 16;

    /** Ranges that one write may be placed in. */
    private static final int VECS_PER_PLACE = 16;

    private final TcpSocket socket;
    private final TcpStage stage;
    private final int directThreshold;
    private final InetSocketAddress peer;
    private final TransportHandler handler;

    private long header;
    private int headerLength;
    private boolean control;
    private int immediate;
    private int length;
    private int missing;
    private final Vecs into = new Vecs(VECS_PER_PLACE);
    private int vec;
    private int vecStored;
    private ByteBuffer cutMessage;
    private boolean arrivals;
    private boolean stopped;

    TcpReceivingSide(
            TcpSocket socket, TcpStage stage, int directThreshold, InetSocketAddress peer, TransportHandler handler) {
        this.socket = socket;
        this.stage = stage;
        this.directThreshold = directThreshold;
        this.peer = peer;
        this.handler = handler;
    }

    /**
     * Reads and hands over what is there. After {@code ended}, a read that finds less than asked for proves nothing.
     */
    Turn turn(boolean ended) throws IOException {
        for (int reads = 0; reads < READS_PER_TURN; reads++) {
            boolean direct = missing >= directThreshold && !control;
            int asked = direct ? into.length(vec) - vecStored : stagedLength();
            int read = direct ? readDirect(asked) : socket.read(stage.window(), 0, asked, stage.address());
            if (read < 0) {
                return Turn.END;
            }
            arrivals |= read > 0;
            if (direct) {
                stored(read);
            } else {
                takeApart(read);
            }
            if (stopped) {
                return Turn.STOPPED;
            }
            if (read == 0 || read < asked && !ended) {
                return Turn.DRAINED;
            }
        }
        return Turn.MORE;
    }

    /** Whether something came since the last call, be it but a part of a frame. */
    boolean takeArrivals() {
        boolean taken = arrivals;
        arrivals = false;
        return taken;
    }

    /** Nothing is read or handed over any more. */
    void stop() {
        stopped = true;
        into.clear();
    }

    /** Where in a frame the bytes received so far end; empty between frames. */
    String cut() {
        if (missing > 0) {
            return (length - missing) + " of " + length + " payload bytes";
        }
        return headerLength > 0 ? headerLength + " of " + HEADER_LENGTH + " header bytes" : "";
    }

    private int stagedLength() {
        boolean betweenLarge = missing == 0 && length >= LARGE;
        return betweenLarge ? Math.min(GLANCE, stage.length()) : stage.length();
    }

    private int readDirect(int asked) throws IOException {
        return socket.read(into.window(vec), into.offset(vec) + vecStored, asked, into.address(vec) + vecStored);
    }

    private void takeApart(int limit) {
        int position = 0;
        while (position < limit && !stopped) {
            if (missing > 0) {
                position += control ? storeMessage(position, limit) : store(position, limit);
            } else if (headerLength == 0 && limit - position >= HEADER_LENGTH) {
                position = begin(stage.window().getLong(position), position + HEADER_LENGTH, limit);
            } else {
                header = header << Byte.SIZE | stage.window().get(position) & 0xff;
                headerLength++;
                position++;
                if (headerLength == HEADER_LENGTH) {
                    position = begin(header, position, limit);
                }
            }
        }
    }

    /** Begins a frame, and hands it over if it is a control message that is all there, or empty. */
    private int begin(long frameHeader, int position, int limit) {
        headerLength = 0;
        immediate = TcpFrameLayout.immediate(frameHeader);
        length = TcpFrameLayout.length(frameHeader);
        switch (TcpFrameLayout.kind(frameHeader)) {
            case TcpFrameLayout.WRITE -> beginWrite();
            case TcpFrameLayout.CONTROL -> {
                return beginControl(position, limit);
            }
            default ->
                throw TcpFailures.badFrame(peer, "frame of a reserved kind: kind=" + TcpFrameLayout.kind(frameHeader));
        }
        return position;
    }

    private void beginWrite() {
        checkLength("write", TcpFrameLayout.LONGEST_WRITE);
        control = false;
        if (length == 0) {
            arrived();
            return;
        }
        into.clear();
        handler.place(immediate, length, into);
        if (stopped) {
            return;
        }
        if (into.totalLength() != length) {
            throw new IllegalStateException(
                    "place() gave another length: length=" + length + ", placed=" + into.totalLength());
        }
        missing = length;
        vec = 0;
        vecStored = 0;
    }

    private int beginControl(int position, int limit) {
        checkLength("control message", TcpFrameLayout.LONGEST_CONTROL);
        if (immediate != 0) {
            throw TcpFailures.badFrame(peer, "control message with immediate data: immediate=" + immediate);
        }
        control = true;
        if (limit - position < length) {
            missing = length;
            return position;
        }
        handler.control(stage.part(position, length));
        return position + length;
    }

    private void checkLength(String kind, int longest) {
        if (length > longest) {
            throw TcpFailures.badFrame(peer, kind + " is too long: length=" + length + ", longest=" + longest);
        }
    }

    private int store(int position, int limit) {
        int count = Math.min(limit - position, into.length(vec) - vecStored);
        into.window(vec).put(into.offset(vec) + vecStored, stage.window(), position, count);
        stored(count);
        return count;
    }

    private void stored(int count) {
        missing -= count;
        vecStored += count;
        if (missing == 0) {
            arrived();
        } else if (vecStored == into.length(vec)) {
            vec++;
            vecStored = 0;
        }
    }

    private void arrived() {
        handler.arrived(immediate, length);
    }

    private int storeMessage(int position, int limit) {
        if (cutMessage == null) {
            cutMessage = ByteBuffer.allocate(TcpFrameLayout.LONGEST_CONTROL);
        }
        int count = Math.min(limit - position, missing);
        cutMessage.clear().put(length - missing, stage.window(), position, count);
        missing -= count;
        if (missing == 0) {
            handler.control(cutMessage.limit(length).position(0));
        }
        return count;
    }
}
