package io.rocketbufs.livestream.ingest;

import io.netty.buffer.ByteBuf;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.media.ChunkFacts;
import io.rocketbufs.livestream.media.MediaException;
import io.rocketbufs.livestream.media.TsCutter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A handler for an endless transport stream, which it cuts into chunks as the stream arrives. */
final class EndlessBody implements Body {
    private final StreamHold hold;
    private final TsCutter cutter;
    private final Deque<TsCutter.Cut> cuts = new ArrayDeque<>();
    /** The last bytes before the current piece, kept because a cut can be located within them. */
    private byte[] recent = {};

    private boolean started;
    private boolean scanned;
    private long pieceStart;
    /** Number of bytes of the current piece that have been handled. */
    private int done;
    /** The start of a new chunk, which precedes the current piece; null if there is none. */
    private ByteBuffer opening;

    EndlessBody(StreamHold hold, long chunkMs) {
        this.hold = hold;
        this.cutter = new TsCutter(chunkMs);
    }

    @Override
    public boolean take(ByteBuf bytes) {
        if (!hold.take()) {
            return false;
        }
        ByteBuffer piece = bytes.nioBuffer();
        if (!scanned) {
            scan(piece);
        }
        if (!write(piece)) {
            return false;
        }
        remember(piece);
        pieceStart += piece.remaining();
        scanned = false;
        return true;
    }

    private void scan(ByteBuffer piece) {
        try {
            cuts.addAll(cutter.scan(piece));
        } catch (MediaException e) {
            throw new IngestRefusal(415, "the stream " + e.getMessage());
        }
        done = 0;
        scanned = true;
    }

    private boolean write(ByteBuffer piece) {
        while (!cuts.isEmpty()) {
            int at = (int) (cuts.peek().position() - pieceStart);
            if (!writeTo(piece, Math.max(at, done))) {
                return false;
            }
            cut(cuts.remove(), Math.max(0, -at));
        }
        return writeTo(piece, piece.remaining());
    }

    /** Writes the piece up to {@code end}, omitting data before the first cut, which cannot be played. */
    private boolean writeTo(ByteBuffer piece, int end) {
        if (opening != null) {
            if (!hold.append(opening)) {
                return false;
            }
            opening = null;
        }
        if (started && done < end) {
            if (!hold.append(piece.slice(piece.position() + done, end - done))) {
                return false;
            }
        }
        done = end;
        return true;
    }

    /** Ends the chunk before its last {@code withheld} bytes, which become the start of the next chunk. */
    private void cut(TsCutter.Cut cut, int withheld) {
        if (started) {
            hold.stream().commit(cut.ended(), withheld);
        } else {
            hold.stream().describe(Container.MPEG_TS, "", new byte[0]);
        }
        started = true;
        int length = cut.tables().length + withheld;
        opening = length == 0
                ? null
                : ByteBuffer.allocate(length)
                        .put(cut.tables())
                        .put(recent, recent.length - withheld, withheld)
                        .flip();
    }

    private void remember(ByteBuffer piece) {
        int fromPiece = Math.min(piece.remaining(), TsCutter.MAX_BACKWARD);
        int fromBefore = Math.min(recent.length, TsCutter.MAX_BACKWARD - fromPiece);
        byte[] kept = new byte[fromBefore + fromPiece];
        System.arraycopy(recent, recent.length - fromBefore, kept, 0, fromBefore);
        piece.get(piece.limit() - fromPiece, kept, fromBefore, fromPiece);
        recent = kept;
    }

    @Override
    public boolean end() {
        if (opening != null && !hold.append(opening)) {
            return false;
        }
        opening = null;
        ChunkFacts last = cutter.finish();
        if (hold.stream() == null || last == null) {
            throw new IngestRefusal(400, "the stream contains no key frame");
        }
        if (hold.stream().isOpen()) {
            hold.stream().commit(last, 0);
        }
        hold.stream().endAfter("");
        hold.release();
        return true;
    }

    @Override
    public String stream() {
        return hold.name();
    }

    @Override
    public void abort() {
        hold.release();
    }
}
