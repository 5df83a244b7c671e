package io.rocketbufs.livestream.bench;

import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A source that pushes emulated chunks at a steady rate over one connection. It sends each chunk in pieces, spread over
 * the chunk's duration.
 *
 * <p><b>Thread-safety:</b> the thread of the source's connection.
 */
final class EmulatedSource implements HttpsClient.HttpsListener {
    private static final int PIECES = 8;

    private final HttpsClient client;
    private final InetSocketAddress ingest;
    private final int number;
    private final int chunkLength;
    private final int durationMs;
    private final BenchCounters counters;
    private final AtomicBoolean running;
    private HttpsClient.HttpsConnection connection;
    private int chunkNumber;
    private byte[] chunk;
    private int piece;
    private long startNs;

    EmulatedSource(
            HttpsClient client,
            InetSocketAddress ingest,
            int number,
            int chunkLength,
            int durationMs,
            BenchCounters counters,
            AtomicBoolean running) {
        this.client = client;
        this.ingest = ingest;
        this.number = number;
        this.chunkLength = chunkLength;
        this.durationMs = durationMs;
        this.counters = counters;
        this.running = running;
    }

    /** Returns the name of the stream that the source with the given number pushes. */
    static String stream(int number) {
        return "bench-" + number;
    }

    void begin() {
        client.connect(ingest, this);
    }

    @Override
    public void connected(HttpsClient.HttpsConnection made) {
        connection = made;
        startNs = System.nanoTime();
        next();
    }

    /** Sends the next piece and schedules the following one. Earlier delays do not shift the schedule. */
    private void next() {
        if (!running.get()) {
            connection.close();
            return;
        }
        if (chunk == null) {
            chunk = EmulatedChunk.make(number, chunkNumber, chunkLength, durationMs);
            connection.write("PUT /ingest/" + stream(number) + "/" + chunkNumber + ".ts HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: " + chunk.length + "\r\n\r\n");
        }
        int from = (int) ((long) chunk.length * piece / PIECES);
        int to = (int) ((long) chunk.length * (piece + 1) / PIECES);
        connection.write(Unpooled.wrappedBuffer(chunk, from, to - from));
        piece++;
        if (piece == PIECES) {
            piece = 0;
            chunk = null;
            chunkNumber++;
        }
        long dueMs = (long) durationMs * (chunkNumber * PIECES + piece) / PIECES;
        connection.later(this::next, Math.max(0, dueMs - (System.nanoTime() - startNs) / 1_000_000));
    }

    @Override
    public void answered(int status, byte[] body) {
        if (status != 200) {
            counters.error("push: status " + status);
        }
    }

    @Override
    public void lost(String why) {
        if (running.get()) {
            counters.error("push: " + why);
        }
    }
}
