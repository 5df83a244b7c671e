package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpFrameLayout.HEADER_LENGTH;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.TransportHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The receiving side of a connection: parses frames and stores their payloads.
 *
 * <p>Small frames and the beginnings of large frames are read in bulk into the worker's stage and then copied to their
 * buffers. The rest of a large frame is read directly into its buffer. Large frames tend to come in succession, so the
 * read after a large frame is limited to little more than the next header. This costs one more system call, but avoids
 * copying most of the next frame.
 *
 * <p><b>Thread-safety:</b> belongs to the worker.
 */
final class TcpReceivingSide {
    /** The reason why a call to {@link #turn} stopped reading. */
    enum Turn {
        /** All available data has been read. */
        DRAINED,
        /** The limit on reads was reached; there may be more data. */
        MORE,
        /** The peer has finished sending. */
        END,
        /** {@link #stop} was called. */
        STOPPED
    }

    /** Smallest payload, in bytes, for which avoiding the copy is worth the extra system call. */
    private static final int LARGE = 32 << 10;

    /**
     * Length in bytes of the read after a large frame: enough for a header and for a small frame between two large
     * frames.
     */
    private static final int GLANCE = 1 << 10;

    /** Maximum number of consecutive reads before other connections are served. */
    private static final int READS_PER_TURN = 16;

    /** Maximum number of ranges into which one write may be placed. */
    private static final int VECS_PER_PLACE = 16;

    private final TcpSocket socket;
    private final TcpStage stage;
    private final int directThreshold;
    private final InetSocketAddress peer;
    private final TransportHandler handler;

    private long header;
    private int headerLength;
    private boolean control;
    /**
     * True once the peer has sent the header of a valid control message. On a valid connection, this is the first
     * frame.
     */
    private boolean spoken;

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
     * Reads the available data and passes it to the handler. A short read means that all available data has been read,
     * unless {@code ended} is true.
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

    /** Returns whether any data, even a part of a frame, has arrived since the last call. */
    boolean takeArrivals() {
        boolean taken = arrivals;
        arrivals = false;
        return taken;
    }

    /** Stops reading and calling the handler. */
    void stop() {
        stopped = true;
        into.clear();
    }

    /** Returns a description of how much of the current frame has been received, or an empty string between frames. */
    String cut() {
        if (missing > 0) {
            return (length - missing) + " of " + length + " payload bytes";
        }
        return headerLength > 0 ? headerLength + " of " + HEADER_LENGTH + " header bytes" : "";
    }

    /** Returns the name of the other protocol that the peer's first bytes indicate, or null if they indicate none. */
    String otherProtocol() {
        if (spoken) {
            return null;
        }
        // A peer that speaks TLS answers with an alert, which is shorter than a header.
        boolean isCut = headerLength >= Integer.BYTES;
        return TcpOtherProtocol.of(isCut ? (int) (header >>> Byte.SIZE * (headerLength - Integer.BYTES)) : immediate);
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

    /**
     * Begins a frame. Passes the frame to the handler if it is empty or is a complete control message. Returns the
     * position of the next byte to parse.
     */
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
                throw TcpFailures.badFrame(peer, "frame has a reserved kind: kind=" + TcpFrameLayout.kind(frameHeader));
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
                    "place() returned ranges of the wrong length: length=" + length + ", placed=" + into.totalLength());
        }
        missing = length;
        vec = 0;
        vecStored = 0;
    }

    private int beginControl(int position, int limit) {
        checkLength("control message", TcpFrameLayout.LONGEST_CONTROL);
        if (immediate != 0) {
            throw TcpFailures.badFrame(peer, "control message has immediate data: immediate=" + immediate);
        }
        control = true;
        spoken = true;
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
