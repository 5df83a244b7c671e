package io.rocketbufs.livestream.edge;

import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A stream at an edge. The object remains in use when the source ends and restarts the stream, and when the connection
 * to the relay is lost and restored.
 *
 * <p><b>Thread-safety:</b> any thread; viewers read the result of {@link #view()}, which is replaced whenever the
 * stream changes.
 */
final class EdgeStream {
    private static final double MICROS = 1e6;

    /**
     * Maximum number of chunks, limited because the cost of each new chunk and each playlist grows with the number of
     * chunks.
     */
    private static final int MAX_CHUNKS = 100;

    /** Minimum number of chunks that remain in a playlist when older chunks are removed (RFC 8216, 6.2.2). */
    private static final int MIN_LISTED = 3;

    private final String name;
    private final List<EdgeChunk> chunks = new ArrayList<>();
    private final Map<Integer, StreamDescription> byGeneration = new HashMap<>();
    private final Set<EdgeBuffer> buffers = new LinkedHashSet<>();
    private volatile StreamView view = StreamView.EMPTY;
    private volatile long lastArrivalNs = System.nanoTime();
    private volatile long chunkCount;
    private volatile long receivedLength;
    private EdgeBuffer current;
    private StreamDescription description;
    private long nextMediaSequence = -1;
    /** Number of the first chunk in the playlist; never decreases. */
    private long firstListed;

    private long lastSequence = -1;
    private long lastEpoch;
    private long targetDurationS = 1;
    private long forgottenDiscontinuities;
    private boolean broken;
    private boolean ended;
    /** Time at which the stream ended or was interrupted; 0 while it is active. */
    private long idleSinceNs;

    EdgeStream(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Returns the current view for viewers. */
    StreamView view() {
        return view;
    }

    synchronized StreamDescription description() {
        return description;
    }

    /** Returns the number of milliseconds since the newest chunk arrived. */
    long chunkAgeMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastArrivalNs);
    }

    /**
     * Returns the counters for display.
     *
     * @param viewers number of viewers
     */
    StreamFacts facts(int viewers) {
        StreamView now = view;
        StreamDescription described = description();
        boolean isLive = !now.isEmpty() && !now.isEnded();
        long ageMs = now.isEmpty() ? -1 : chunkAgeMs();
        return new StreamFacts(
                name,
                isLive ? "live" : now.isEnded() ? "ended" : "waiting",
                described == null ? "" : described.codecs(),
                viewers,
                chunkCount,
                receivedLength,
                ageMs,
                isLive ? StreamFacts.latenessMs(ageMs, described.targetDurationMs()) : 0,
                0,
                null);
    }

    /** Sets the description of the stream and its buffer, as received from the relay. */
    synchronized void describe(StreamDescription news, EdgeBuffer buffer) {
        if (current != buffer) {
            if (ended) {
                forgetChunks();
            }
            current = buffer;
            buffers.add(buffer);
            byGeneration.clear();
            ended = false;
            idleSinceNs = 0;
            forgetOldBuffers();
            refresh();
        }
        description = news;
        byGeneration.put(news.generation(), news);
        targetDurationS = Math.max(targetDurationS, Math.round(news.targetDurationMs() / 1e3));
    }

    /**
     * Drops chunks that are in an older buffer than the newest chunk, but keeps a minimum number of chunks. Every
     * reconnection to the relay creates another buffer, so the memory of old buffers would otherwise accumulate.
     */
    private void forgetOldBuffers() {
        while (chunks.size() > MIN_LISTED
                && chunks.get(0).buffer() != chunks.get(chunks.size() - 1).buffer()) {
            forgetFirst();
        }
    }

    private void forgetChunks() {
        forgottenDiscontinuities +=
                chunks.stream().filter(EdgeChunk::isDiscontinuity).count();
        chunks.clear();
        targetDurationS = 1;
        broken = true;
    }

    /**
     * Adds a chunk that has arrived.
     *
     * @return false if the chunk belongs to another buffer or to an unknown description
     */
    synchronized boolean add(EdgeBuffer buffer, Segment segment, long index, ChunkHeader header) {
        StreamDescription described = byGeneration.get(header.generation());
        if (buffer != current || described == null) {
            return false;
        }
        // Chunks arrive in order, so no more chunks of earlier generations will arrive.
        byGeneration.keySet().removeIf(generation -> generation < header.generation());
        boolean continues = lastEpoch == described.epoch() && header.sequence() == lastSequence + 1;
        boolean isFirst = nextMediaSequence < 0;
        // Assigns the same number as all other edges, but never a lower number than before.
        nextMediaSequence = Math.max(nextMediaSequence, described.sequenceBase() + header.sequence());
        boolean discontinuity = !isFirst && (!continues || broken || header.isDiscontinuity());
        chunks.add(EdgeChunk.at(
                segment,
                index,
                buffer,
                described,
                header,
                new EdgeChunk.PlaylistPlace(nextMediaSequence++, discontinuity)));
        lastEpoch = described.epoch();
        lastSequence = header.sequence();
        broken = false;
        targetDurationS = Math.max(targetDurationS, Math.round(header.durationUs() / MICROS));
        lastArrivalNs = System.nanoTime();
        chunkCount++;
        receivedLength += header.length();
        refresh();
        return true;
    }

    /** Drops chunks that have been overwritten, and lists the chunks that the next chunk cannot overwrite. */
    private void refresh() {
        while (!chunks.isEmpty()
                && (chunks.size() > MAX_CHUNKS || !chunks.get(0).isIntact())) {
            forgetFirst();
        }
        int from = chunks.size();
        long length = 0;
        while (from > 0 && (ended || length + chunks.get(from - 1).wholeLength() <= current.safeLength())) {
            length += chunks.get(--from).wholeLength();
        }
        from = Math.min(from, Math.max(0, chunks.size() - 1));
        while (from < chunks.size() - 1 && chunks.get(from).mediaSequence() < firstListed) {
            from++;
        }
        list(from);
        releaseUnused();
    }

    /**
     * Lists the newest chunks with consecutive numbers. After a gap in the numbers, the chunks before the gap remain
     * listed until enough chunks have arrived after it, because players need several listed chunks.
     *
     * @param safe index of the first chunk that may be listed
     */
    private void list(int safe) {
        int to = chunks.size();
        int from = Math.max(safe, firstOfRun(to));
        int fromBefore = Math.max(safe, firstOfRun(from));
        if (!ended && to - from < Math.min(MIN_LISTED, from - fromBefore)) {
            to = from;
            from = fromBefore;
        } else {
            // The relay no longer writes into the buffer of these chunks and will not overwrite them. They are
            // therefore
            // dropped as soon as they are no longer listed.
            for (; from > 0 && chunks.get(0).buffer() != current; from--, to--) {
                forgetFirst();
            }
        }
        if (from < to) {
            firstListed = chunks.get(from).mediaSequence();
        }
        long before = forgottenDiscontinuities
                + chunks.subList(0, from).stream()
                        .filter(EdgeChunk::isDiscontinuity)
                        .count();
        view = StreamView.of(chunks, from, to, targetDurationS, before, ended);
    }

    /**
     * Returns the index of the first chunk in the run of consecutively numbered chunks that ends before the given
     * index.
     */
    private int firstOfRun(int end) {
        int first = end;
        while (first > 0
                && (first == end
                        || chunks.get(first - 1).mediaSequence()
                                == chunks.get(first).mediaSequence() - 1)) {
            first--;
        }
        return first;
    }

    private void forgetFirst() {
        forgottenDiscontinuities += chunks.remove(0).isDiscontinuity() ? 1 : 0;
    }

    private void releaseUnused() {
        Set<EdgeBuffer> used = new LinkedHashSet<>();
        chunks.forEach(chunk -> used.add(chunk.buffer()));
        if (!ended && current != null) {
            used.add(current);
        }
        buffers.removeIf(buffer -> {
            if (!used.contains(buffer)) {
                buffer.release();
                return true;
            }
            return false;
        });
    }

    /** Called when the source has ended the stream. */
    synchronized void end(EdgeBuffer buffer) {
        if (buffer == current && !ended) {
            ended = true;
            idleSinceNs = System.nanoTime();
            refresh();
        }
    }

    /** Called when the connection to the relay is lost. The stream ends unless the connection is restored in time. */
    synchronized void interrupt(EdgeBuffer buffer) {
        if (buffer == current && !ended && idleSinceNs == 0) {
            idleSinceNs = System.nanoTime();
        }
    }

    /**
     * Applies the timeouts.
     *
     * @return true if the stream is no longer needed; its memory has then been released
     */
    synchronized boolean tick(long relayTimeoutMs, long keepMs) {
        if (idleSinceNs == 0) {
            return false;
        }
        long idleMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - idleSinceNs);
        if (!ended && idleMs >= relayTimeoutMs) {
            end(current);
        } else if (ended && idleMs >= keepMs) {
            release();
            return true;
        }
        return false;
    }

    /** Releases all chunks and buffers. */
    synchronized void release() {
        view = StreamView.EMPTY;
        chunks.clear();
        ended = true;
        releaseUnused();
    }
}
