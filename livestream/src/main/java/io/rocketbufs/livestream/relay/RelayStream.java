package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.livestream.media.ChunkFacts;
import io.rocketbufs.livestream.media.Mp4Init;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A stream at the relay: takes the chunks of its source, one after the other.
 *
 * <p><b>Thread-safety:</b> any thread, under the stream's lock: a source may use another connection, and with it
 * another thread, for each chunk. Nobody waits for it but for a copy of some kilobytes.
 */
public final class RelayStream {
    private static final double MICROS = 1e6;
    private static final long MAX_DURATION_US = TimeUnit.MINUTES.toMicros(30);

    private final RelayStreams streams;
    private final String name;
    private final String source;
    private final ChunkWriter writer;
    private final SteadyClock clock;
    private volatile StreamDescription description;
    private volatile Mp4Init init;
    private volatile long lastActivityNs = System.nanoTime();
    private volatile long lastChunkNs;
    private volatile long sequence;
    private volatile long receivedLength;
    private Object holder;
    private boolean announced;
    private boolean ending;
    private boolean ended;
    private long chunkStartMs;
    /** Longest chunk, seen or announced. */
    private volatile long longestUs;

    private final SourceRuns runs = new SourceRuns();
    private boolean refused;
    private boolean broken;
    /** A chunk of the present generation has been sent, so it stays what it is. */
    private boolean generationUsed;

    RelayStream(
            RelayStreams streams, StreamDescription description, String source, ChunkWriter writer, SteadyClock clock) {
        this.streams = streams;
        this.name = description.name();
        this.description = description;
        this.source = source;
        this.writer = writer;
        this.clock = clock;
    }

    /** Its name. */
    public String name() {
        return name;
    }

    String source() {
        return source;
    }

    StreamDescription description() {
        return description;
    }

    /** True when it comes from there. */
    public boolean isFrom(String address) {
        return source.equals(address);
    }

    /** Bytes of media in the longest chunk. */
    public int longestPayload() {
        return description.chunkLimit() - ChunkLayout.lengthOf(0);
    }

    /** What its source's init segment says; null while there is none. */
    public Mp4Init init() {
        return init;
    }

    /**
     * Begins to write, if nobody else does.
     *
     * @return false when somebody else does: try again, or not
     */
    public synchronized boolean acquire(Object writing) {
        if (ended || holder != null && holder != writing) {
            return false;
        }
        holder = writing;
        lastActivityNs = System.nanoTime();
        return true;
    }

    /** Stops to write; forgets a chunk that is not complete. */
    public synchronized void release(Object writing) {
        if (holder != writing) {
            return;
        }
        holder = null;
        if (!ended && writer.isOpen()) {
            broken = true;
            writer.cancel();
        }
        if (ending) {
            end();
        }
    }

    /**
     * Tells edges of the stream before its first chunk, so that they have subscribed when it comes; and of its init
     * segment, when that is a new one.
     */
    public synchronized void describe(Container container, String codecs, byte[] init) {
        if (ended) {
            return;
        }
        StreamDescription now = description;
        boolean isNews = !announced
                || now.container() != container
                || !Arrays.equals(now.init(), init)
                || !codecs.isEmpty() && !now.codecs().equals(codecs);
        if (isNews) {
            boolean isOther = announced && (now.container() != container || !Arrays.equals(now.init(), init));
            broken |= isOther;
            int generation = now.generation() + (announced && generationUsed || now.generation() == 0 ? 1 : 0);
            generationUsed = false;
            description = now.as(generation, container, codecs.isEmpty() && !isOther ? now.codecs() : codecs, init);
            streams.announce(this, !announced);
            announced = true;
        }
    }

    /** Tells edges of an init segment. */
    public synchronized void describe(Mp4Init read, byte[] bytes) {
        init = read;
        describe(Container.FMP4, read.codecs(), bytes);
    }

    /** Adds to the chunk. The buffer's position does not change. */
    public synchronized Append append(ByteBuffer bytes) {
        if (ended) {
            return Append.CLOSED;
        }
        lastActivityNs = System.nanoTime();
        if (!writer.isOpen()) {
            chunkStartMs = clock.millis();
        }
        Append result = writer.append(bytes);
        if (result == Append.DONE) {
            receivedLength += bytes.remaining();
        }
        return result;
    }

    /** True when there are bytes of a chunk. */
    public synchronized boolean isOpen() {
        return writer.isOpen();
    }

    /**
     * Looks whether a chunk that is a file of its own comes from the stream's source.
     *
     * @throws StreamRefusal when another one takes turns with that
     */
    public synchronized void check(ChunkFacts facts) {
        refused = runs.refuses(facts, durationUs(facts));
        if (refused) {
            // Forgotten without a trace: nothing of the other source is missing.
            writer.cancel();
            throw new StreamRefusal(
                    StreamRefusal.Reason.TAKEN, "stream " + name + " has a source already, which goes on beside this");
        }
    }

    /**
     * Completes the chunk and lets it go to the edges.
     *
     * @param withheld bytes at its end that do not belong to it
     * @return false when the stream has ended meanwhile
     */
    public synchronized boolean commit(ChunkFacts facts, int withheld) {
        if (ended) {
            return false;
        }
        describe(description.container(), facts.codecs(), description.init());
        long durationUs = durationUs(facts);
        lengthen(durationUs);
        boolean continues = runs.take(facts, durationUs) && !broken;
        broken = false;
        int flags = (facts.keyFrame() ? ChunkLayout.KEY_FRAME : 0)
                | (sequence > 0 && !continues ? ChunkLayout.DISCONTINUITY : 0);
        writer.seal(new ChunkHeader(
                description.bufferId(),
                description.generation(),
                sequence,
                startMs(durationUs),
                (int) durationUs,
                flags,
                writer.length() - withheld));
        generationUsed = true;
        lastChunkNs = System.nanoTime();
        sequence++;
        streams.counters().chunks.increment();
        return true;
    }

    private long durationUs(ChunkFacts facts) {
        return facts.durationUs() > 0
                ? Math.min(facts.durationUs(), MAX_DURATION_US)
                : TimeUnit.MILLISECONDS.toMicros(description.targetDurationMs());
    }

    /** A source that sends a chunk as a whole has begun to make it long before. */
    private long startMs(long durationUs) {
        return Math.min(chunkStartMs, clock.millis() - TimeUnit.MICROSECONDS.toMillis(durationUs));
    }

    /**
     * The source has said that there is no more: ends the stream when the chunk that is being written is complete. Not
     * if another source's chunk has just been refused: that one says so.
     */
    public synchronized void endAfterChunk() {
        if (refused) {
            return;
        }
        ending = true;
        if (holder == null) {
            end();
        }
    }

    /** Ends the stream: edges get what there is, and then the end. */
    synchronized void end() {
        if (!ended) {
            writer.cancel();
            ended = true;
            streams.remove(this, sequence);
        }
    }

    /** Takes note of the target duration in the playlist of the source. */
    public synchronized void announceTargetDuration(long seconds) {
        if (!ended) {
            lengthen(Math.min(TimeUnit.SECONDS.toMicros(seconds), MAX_DURATION_US));
        }
    }

    /** A longer target duration reaches edges before the chunk that needs it. */
    private void lengthen(long durationUs) {
        longestUs = Math.max(longestUs, durationUs);
        int targetMs = (int) TimeUnit.SECONDS.toMillis(Math.round(durationUs / MICROS));
        if (targetMs > description.targetDurationMs()) {
            description = description.withTargetDuration(targetMs);
            if (announced) {
                streams.announce(this, false);
            }
        }
    }

    /** Returns true when its source has been silent for {@link #silenceLimitMs}. */
    boolean isSilent(long timeoutMs) {
        return System.nanoTime() - lastActivityNs > TimeUnit.MILLISECONDS.toNanos(silenceLimitMs(timeoutMs));
    }

    /**
     * Returns how long the source may be silent: one that sends a chunk as a whole is silent while it makes the next.
     */
    long silenceLimitMs(long timeoutMs) {
        return Math.max(timeoutMs, TimeUnit.MICROSECONDS.toMillis(2 * longestUs));
    }

    /**
     * Returns what it looks like now.
     *
     * @param refused null for nothing
     */
    StreamState state(StreamState.Refused refused) {
        StreamDescription now = description;
        long chunks = sequence;
        return new StreamState(
                name,
                now.container().name(),
                now.codecs(),
                chunks,
                receivedLength,
                chunks == 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastChunkNs),
                now.capacity(),
                refused);
    }
}
