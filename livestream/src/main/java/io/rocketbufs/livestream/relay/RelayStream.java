package io.rocketbufs.livestream.relay;

import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.ChunkLayout;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.livestream.media.ChunkFacts;
import io.rocketbufs.livestream.media.Mp4Init;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A stream at the relay, which receives the source's chunks one after another.
 *
 * <p><b>Thread-safety:</b> any thread; guarded by the stream's lock, because a source may use a different connection,
 * and therefore a different thread, for each chunk. No thread holds the lock for longer than it takes to copy a few
 * kilobytes.
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
    /** Name of the most recently received file; empty before the first file. */
    private String receivedFile = "";
    /**
     * Name of the source's last file; empty if the stream ends once the open chunk is completed. It is null until the
     * source ends the stream.
     */
    private String lastFile;

    private boolean ended;
    private long chunkStartMs;
    /** Duration of the longest chunk that the source has sent or announced. */
    private volatile long longestUs;

    private final SourceRuns runs = new SourceRuns();
    private boolean refused;
    private boolean broken;
    /** True once a chunk of the current generation has been sent. A changed description then needs a new generation. */
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

    /** Returns the stream's name. */
    public String name() {
        return name;
    }

    String source() {
        return source;
    }

    StreamDescription description() {
        return description;
    }

    /** Returns true if {@code address} is that of the stream's source. */
    public boolean isFrom(String address) {
        return source.equals(address);
    }

    /** Returns the maximum length of a chunk's payload in bytes. */
    public int longestPayload() {
        return description.chunkLimit() - ChunkLayout.lengthOf(0);
    }

    /** Returns the source's init segment, or null if there is none. */
    public Mp4Init init() {
        return init;
    }

    /**
     * Acquires the right to write to the stream.
     *
     * @return false if another writer holds the right or the stream has ended; the caller may try again
     */
    public synchronized boolean acquire(Object writing) {
        if (ended || holder != null && holder != writing) {
            return false;
        }
        holder = writing;
        lastActivityNs = System.nanoTime();
        return true;
    }

    /**
     * Releases the right to write and discards the current chunk if it is incomplete.
     *
     * @param file name of the file that was written; empty for an endless body
     */
    public synchronized void release(Object writing, String file) {
        if (holder != writing) {
            return;
        }
        holder = null;
        receivedFile = file;
        if (!ended && writer.isOpen()) {
            broken = true;
            writer.cancel();
        }
        endIfDue();
    }

    /**
     * Announces the stream to the edges before its first chunk, so that they can subscribe before that chunk arrives.
     * If the stream has already been announced, announces only changes to its container, codecs and init segment.
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

    /** Announces an init segment to the edges. */
    public synchronized void describe(Mp4Init read, byte[] bytes) {
        init = read;
        describe(Container.FMP4, read.codecs(), bytes);
    }

    /** Appends bytes to the current chunk. The position of {@code bytes} does not change. */
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

    /** Returns true while the current chunk is incomplete. */
    public synchronized boolean isOpen() {
        return writer.isOpen();
    }

    /**
     * Checks that a chunk that was received as a separate file comes from the stream's source.
     *
     * @throws StreamRefusal if two sources send alternately and the chunk is from the second source
     */
    public synchronized void check(ChunkFacts facts) {
        refused = runs.refuses(facts, durationUs(facts));
        if (refused) {
            // No discontinuity is marked, because no data of the stream's own source is missing.
            writer.cancel();
            throw new StreamRefusal(
                    StreamRefusal.Reason.TAKEN, "stream " + name + " already has a source, which is still sending");
        }
    }

    /**
     * Completes the current chunk and sends it to the edges.
     *
     * @param withheld number of bytes at the end of the chunk that do not belong to it
     * @return false if the stream has ended
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

    /**
     * Returns the start time of the chunk, in milliseconds since 1970. If the source records the whole chunk before
     * sending it, the start time is earlier than the arrival of the chunk's first byte.
     */
    private long startMs(long durationUs) {
        return Math.min(chunkStartMs, clock.millis() - TimeUnit.MICROSECONDS.toMillis(durationUs));
    }

    /**
     * Ends the stream at its source's request once the last file has been received. The request may overtake the last
     * file, because a source may use a separate connection for each of them. Does nothing if a chunk from another
     * source has just been refused, because the request then comes from that source.
     *
     * @param file name of the last file; empty if only the chunk that is currently being written must be completed
     */
    public synchronized void endAfter(String file) {
        if (!refused) {
            lastFile = file;
            endIfDue();
        }
    }

    /**
     * Cancels a request to end the stream, because the source continues and the last file that the request names was
     * lost.
     */
    public synchronized void continues() {
        lastFile = null;
    }

    private void endIfDue() {
        if (lastFile != null && holder == null && (lastFile.isEmpty() || lastFile.equals(receivedFile))) {
            end();
        }
    }

    /** Ends the stream. The edges receive all completed chunks first. */
    synchronized void end() {
        if (!ended) {
            writer.cancel();
            ended = true;
            streams.remove(this, sequence);
        }
    }

    /** Applies the target duration from the source's playlist. */
    public synchronized void announceTargetDuration(long seconds) {
        if (!ended) {
            lengthen(Math.min(TimeUnit.SECONDS.toMicros(seconds), MAX_DURATION_US));
        }
    }

    /** Announces a longer target duration to the edges before the chunk that requires it. */
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

    /** Returns true if the source has been silent for {@link #silenceLimitMs}. */
    boolean isSilent(long timeoutMs) {
        return System.nanoTime() - lastActivityNs > TimeUnit.MILLISECONDS.toNanos(silenceLimitMs(timeoutMs));
    }

    /**
     * Returns the time in milliseconds for which the source may be silent. A source that sends whole chunks is silent
     * while it records the next chunk.
     */
    long silenceLimitMs(long timeoutMs) {
        return Math.max(timeoutMs, TimeUnit.MICROSECONDS.toMillis(2 * longestUs));
    }

    /**
     * Returns the current state.
     *
     * @param refused recent refusals of the stream; null if there are none
     */
    StreamState state(StreamState.Refused refused) {
        StreamDescription now = description;
        long chunks = sequence;
        long ageMs = chunks == 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastChunkNs);
        return new StreamState(
                name,
                now.container().name(),
                now.codecs(),
                chunks,
                receivedLength,
                ageMs,
                StreamFacts.latenessMs(ageMs, now.targetDurationMs()),
                now.capacity(),
                refused);
    }
}
