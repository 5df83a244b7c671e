package io.rocketbufs.livestream.edge;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.ByteBuffer;

/**
 * The transfer of a chunk's payload to a viewer in pieces. Each piece is encrypted directly from the buffer into which
 * the relay wrote the chunk. A piece is encrypted only after the previous piece has been written to the socket. A
 * viewer that does not read its response therefore occupies the memory of only one encrypted piece.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class ChunkSending {
    /**
     * Length of a piece in bytes. It equals the payload of four TLS records, so that no record combines data from two
     * pieces.
     */
    static final int PIECE_LENGTH = 64 * 1024;

    private final ChannelHandlerContext context;
    private final WriteGate gate;
    private final EdgeCounters counters;
    private final Viewer viewer;
    private final EdgeChunk chunk;
    private final Runnable onSent;
    private final int end;
    private int sent;

    /**
     * Creates the transfer of a chunk or part of a chunk. The caller must already have written the header of the
     * response.
     *
     * @param viewer counts the bytes that have been sent
     * @param range part to send
     * @param onSent called when the whole range has been sent, unless the connection closes first
     */
    ChunkSending(
            ChannelHandlerContext context,
            WriteGate gate,
            EdgeCounters counters,
            Viewer viewer,
            EdgeChunk chunk,
            ByteRange range,
            Runnable onSent) {
        this.context = context;
        this.gate = gate;
        this.counters = counters;
        this.viewer = viewer;
        this.chunk = chunk;
        this.sent = range.first();
        this.end = range.first() + range.length();
        this.onSent = onSent;
        viewer.progress(0, end - sent);
    }

    void next() {
        ByteBuffer piece = chunk.payload(sent, Math.min(PIECE_LENGTH, end - sent));
        int length = piece.remaining();
        gate.arm(this::check);
        ChannelFuture written = context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
        gate.disarm();
        written.addListener(done -> {
            if (done.isSuccess()) {
                onWritten(length);
            }
        });
    }

    private boolean check() {
        boolean intact = chunk.isIntact();
        if (!intact) {
            counters.overwritten.increment();
        }
        return intact;
    }

    private void onWritten(int length) {
        sent += length;
        counters.deliveredBytes.add(length);
        viewer.progress(length, end - sent);
        if (sent < end) {
            next();
        } else {
            counters.delivered.increment();
            context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
            onSent.run();
        }
    }
}
