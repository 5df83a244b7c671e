package io.rocketbufs.livestream.ingest;

import io.rocketbufs.livestream.relay.Append;
import io.rocketbufs.livestream.relay.RelayStream;
import io.rocketbufs.livestream.relay.RelayStreams;
import io.rocketbufs.livestream.relay.StreamRefusal;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The exclusive right of one body to write to a stream.
 *
 * <p><b>Thread-safety:</b> the connection's thread.
 */
final class StreamHold {
    /**
     * Maximum time that a body waits for the previous body. ffmpeg opens a connection for each file, so the thread of
     * the previous connection may not have read the end of the previous file yet. If the previous body is still writing
     * after this time, it belongs to another source.
     */
    private static final long TIME_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final RelayStreams streams;
    private final String name;
    private final String source;
    private final String file;
    private RelayStream stream;
    private long waitingSinceNs;

    /**
     * Creates the right to write to a stream without acquiring it yet.
     *
     * @param file name of the body's file; empty for an endless body
     */
    StreamHold(RelayStreams streams, String name, String source, String file) {
        this.streams = streams;
        this.name = name;
        this.source = source;
        this.file = file;
    }

    /**
     * Acquires the stream unless this body already holds it.
     *
     * @return false if another body currently holds it
     * @throws IngestRefusal if another body has held it for longer than the limit
     */
    boolean take() {
        if (stream != null) {
            return true;
        }
        try {
            RelayStream found = streams.open(name, source);
            if (found.acquire(this)) {
                stream = found;
                return true;
            }
        } catch (StreamRefusal e) {
            throw new IngestRefusal(e.reason() == StreamRefusal.Reason.FULL ? 503 : 409, e.getMessage());
        }
        long now = System.nanoTime();
        if (waitingSinceNs == 0) {
            waitingSinceNs = now;
        }
        if (now - waitingSinceNs > TIME_LIMIT_NS) {
            throw new IngestRefusal(409, "stream " + name + " already has a source");
        }
        return false;
    }

    RelayStream stream() {
        return stream;
    }

    String name() {
        return name;
    }

    /**
     * Appends bytes to the current chunk.
     *
     * @return false if the bytes currently cannot be appended
     */
    boolean append(ByteBuffer bytes) {
        Append result = stream.append(bytes);
        switch (result) {
            case DONE:
                streams.counters().receivedBytes.add(bytes.remaining());
                return true;
            case TRY_AGAIN:
                return false;
            case TOO_LONG:
                throw new IngestRefusal(
                        413,
                        "the chunk has more than " + stream.longestPayload()
                                + " bytes; raise livestream.stream.chunk-length, or lower the bit rate or the duration"
                                + " of the chunks");
            default:
                throw new IngestRefusal(410, "stream " + name + " has ended");
        }
    }

    /** Releases the stream. If the current chunk is incomplete, counts it as truncated. */
    void release() {
        if (stream != null) {
            if (stream.isOpen()) {
                streams.counters().truncations.increment();
            }
            stream.release(this, file);
            stream = null;
        }
    }
}
