package io.rocketbufs.livestream.edge;

import io.rocketbufs.Segment;
import io.rocketbufs.livestream.ChunkHeader;
import io.rocketbufs.livestream.StreamDescription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A stream at an edge, through all that happens: chunks come, the source ends it and comes back, the relay is lost and
 * comes back.
 *
 * <p><b>Thread-safety:</b> any thread; viewers read {@link #view()}, which is made anew with each change.
 */
final class EdgeStream {
    private static final double MICROS = 1e6;

    /** Each new chunk costs as much as there are chunks, and so does each look at the playlist. */
    private static final int MAX_CHUNKS = 100;

    /** A playlist that chunks are taken from keeps at least as many, where there are as many (RFC 8216, 6.2.2). */
    private static final int MIN_LISTED = 3;

    private final String name;
    private final List<EdgeChunk> chunks = new ArrayList<>();
    private final Map<Integer, StreamDescription> byGeneration = new HashMap<>();
    private final Set<EdgeBuffer> buffers = new LinkedHashSet<>();
    private volatile StreamView view = StreamView.EMPTY;
    private volatile long lastArrivalNs = System.nanoTime();
    private EdgeBuffer current;
    private StreamDescription description;
    private long nextMediaSequence = -1;
    /** Number of the first chunk that is listed; it never goes back. */
    private long firstListed;

    private long lastSequence = -1;
    private long lastEpoch;
    private long targetDurationS = 1;
    private long forgottenDiscontinuities;
    private boolean broken;
    private boolean ended;
    /** When it ended or was interrupted; 0 while neither is so. */
    private long idleSinceNs;

    EdgeStream(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** What viewers see. */
    StreamView view() {
        return view;
    }

    synchronized StreamDescription description() {
        return description;
    }

    /** Since the newest chunk came. */
    long chunkAgeMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastArrivalNs);
    }

    /** The relay says what the stream is like, and that it comes through a buffer. */
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

    /** The relay may be lost and found often: what came before the last loss but one goes, with its memory. */
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
     * A chunk has come.
     *
     * @return false when it belongs to something else
     */
    synchronized boolean add(EdgeBuffer buffer, Segment segment, long index, ChunkHeader header) {
        StreamDescription described = byGeneration.get(header.generation());
        if (buffer != current || described == null) {
            return false;
        }
        // Chunks come in order, so nobody asks for those before any more.
        byGeneration.keySet().removeIf(generation -> generation < header.generation());
        boolean continues = lastEpoch == described.epoch() && header.sequence() == lastSequence + 1;
        boolean isFirst = nextMediaSequence < 0;
        // As at other edges; but never back.
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
        refresh();
        return true;
    }

    /** Forgets what has been overwritten, and lists what will still be there when the next chunk has come. */
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
     * Lists the newest chunks that have successive numbers. After a gap in the numbers, those before it stay listed
     * until there are enough behind it: players need something to go on with.
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
            // A chunk of a buffer that the relay no longer writes to is never overwritten: it goes when it would be.
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

    /** Returns the index of the first of the chunks with successive numbers that end before an index. */
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

    /** The source has ended the stream. */
    synchronized void end(EdgeBuffer buffer) {
        if (buffer == current && !ended) {
            ended = true;
            idleSinceNs = System.nanoTime();
            refresh();
        }
    }

    /** The relay is lost: the stream has ended if it does not come back in time. */
    synchronized void interrupt(EdgeBuffer buffer) {
        if (buffer == current && !ended && idleSinceNs == 0) {
            idleSinceNs = System.nanoTime();
        }
    }

    /**
     * Time passes.
     *
     * @return true when nobody needs this stream any more; it has let go of everything then
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

    /** Lets go of everything. */
    synchronized void release() {
        view = StreamView.EMPTY;
        chunks.clear();
        ended = true;
        releaseUnused();
    }
}
