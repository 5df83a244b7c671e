package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The segments of one log, oldest first. The last segment is the head.
 *
 * <p><i>Thread-safety:</i> one thread appends and rolls, and the maintenance thread removes segments. Any thread may
 * search. The list is replaced as a whole, under this object's lock.
 */
final class SegmentList {
    private final LogFolder folder;
    private final LogOptions options;
    private volatile Segment[] segments;
    /** The reason why the log could not be opened; null if it was opened. */
    private LogException cause;
    /** The producer states at the end of each rolled segment that has no seal yet. Guarded by this object's lock. */
    private final ArrayDeque<ProducerStates> rolledStates = new ArrayDeque<>();

    SegmentList(LogFolder folder, LogOptions options, Recovery recovered) {
        this(folder, options, recovered.segments().toArray(Segment[]::new));
        rolledStates.addAll(recovered.rolledStates());
    }

    private SegmentList(LogFolder folder, LogOptions options, Segment... segments) {
        this.folder = folder;
        this.options = options;
        this.segments = segments;
    }

    /** Returns the list of an in-memory log, which contains one empty segment. */
    static SegmentList inMemory(MemoryRing ring, LogOptions options, long firstOffset) throws IOException {
        return new SegmentList(ring, options, SegmentFiles.create(ring, firstOffset, options));
    }

    /** Returns the empty list of a log that could not be opened. */
    static SegmentList unopened(LogOptions options, LogException cause) {
        SegmentList none = new SegmentList(null, options);
        none.cause = cause;
        return none;
    }

    /** Returns why the log could not be opened, or null if it was opened. */
    LogException cause() {
        return cause;
    }

    /** Throws the exception that prevented the log from being opened, if any. */
    void requireOpened() {
        if (cause != null) {
            throw cause;
        }
    }

    /** Returns true for a log that could not be opened; every other log has a head. */
    boolean isEmpty() {
        return segments.length == 0;
    }

    /** Returns the memory of an in-memory log, or null if the log is on a disk. */
    MemoryRing ring() {
        return folder instanceof MemoryRing ring ? ring : null;
    }

    LogFolder folder() {
        return folder;
    }

    Segment head() {
        Segment[] current = segments;
        return current[current.length - 1];
    }

    Segment first() {
        return segments[0];
    }

    /** Returns all segments. The caller must not change the array. */
    Segment[] all() {
        return segments;
    }

    /** Returns the number of bytes in all batches. */
    long length() {
        long length = 0;
        for (Segment segment : segments) {
            length += segment.end();
        }
        return length;
    }

    /** Returns the segment that contains the offset. Returns the head for later offsets, and null for earlier ones. */
    Segment of(long offset) {
        Segment[] current = segments;
        int low = 0;
        int high = current.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (current[middle].baseOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? null : current[low - 1];
    }

    /** Returns true if a batch fits into the head. Relative offsets have 31 bits. */
    boolean hasRoom(int length, int lastOffsetDelta) {
        Segment head = head();
        return head.end() + length <= options.segmentLength()
                && head.nextOffset() + lastOffsetDelta - head.baseOffset() <= Integer.MAX_VALUE;
    }

    /** Starts a new head in memory. Removes the oldest segment from the list before its memory is reused. */
    void rollInMemory() throws IOException {
        long nextOffset = head().nextOffset();
        Segment reused = segments.length < folder.mostSegments() ? null : removeFirst();
        Segment head = SegmentFiles.create(folder, nextOffset, options);
        synchronized (this) {
            Segment[] more = Arrays.copyOf(segments, segments.length + 1);
            more[segments.length] = head;
            segments = more;
        }
        if (reused != null) {
            reused.release();
        }
    }

    /**
     * Starts a new head. Maintenance seals the old head. Performs all steps that can fail before the new file exists,
     * because recovery treats every segment file as part of the log.
     */
    void roll(ProducerStates producers) throws IOException {
        ProducerStates states = producers.copy();
        synchronized (this) {
            Segment[] more = Arrays.copyOf(segments, segments.length + 1);
            rolledStates.add(states);
            try {
                more[segments.length] = SegmentFiles.create(folder, head().nextOffset(), options);
            } catch (IOException | RuntimeException | Error e) {
                rolledStates.removeLast();
                throw e;
            }
            segments = more;
        }
    }

    /** Returns true unless retention has removed the segment. */
    synchronized boolean contains(Segment segment) {
        return Arrays.asList(segments).contains(segment);
    }

    /** Returns the oldest rolled segment without a seal, or null if there is none. */
    Segment oldestRolled() {
        Segment[] current = segments;
        for (int i = 0; i < current.length - 1; i++) {
            if (!current[i].isSealed()) {
                return current[i];
            }
        }
        return null;
    }

    /** Returns the producer states at the end of {@link #oldestRolled}. */
    synchronized ProducerStates rolledStates() {
        return rolledStates.element();
    }

    /** Removes the producer states of a segment that has been sealed. */
    synchronized void forgetRolledStates() {
        rolledStates.remove();
    }

    /** Removes the oldest segment from the list. */
    synchronized Segment removeFirst() {
        Segment first = segments[0];
        segments = Arrays.copyOfRange(segments, 1, segments.length);
        return first;
    }

    /**
     * Releases all segments. Keeps them in the list, so that readers can distinguish a closed log from deleted
     * segments.
     */
    void release() throws IOException {
        IOException failure = null;
        for (Segment segment : segments) {
            try {
                segment.release();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
