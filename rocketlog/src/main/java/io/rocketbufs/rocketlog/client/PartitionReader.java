package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.client.ConsumerLink.SegmentLink;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.record.RingLayout;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A consumer's place in one partition, with the bytes that it has read but not delivered yet.
 *
 * <pre>
 *             open                          the word has grown
 *   CLOSED ---------&gt; everything is read ----------------------&gt; there is something to read
 *     ^                 |         ^                                |        |
 *     |   ended         |         +-----------  fetch  ------------+        |
 *     +-----------------+                                                   |
 *     +----------------------- revoked, or connection lost -----------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns its memory.
 */
final class PartitionReader {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final long NO_GAP = -1;

    private final TopicIdentity topic;
    private final int partition;
    private final GapPolicy gaps;
    private final MemoryPool pool;
    private final int fetchLength;
    private final FetchedBatches batches = new FetchedBatches();
    private StartKind startKind;
    private long nextOffset;
    /**
     * Time from which records are delivered. Records with earlier timestamps are skipped up to the first record that is
     * not earlier.
     */
    private long startTime = Long.MIN_VALUE;

    private Region memory;
    /** The open segment; null if there is none. */
    private SegmentLink segment;

    /** The place in the broker's ring in memory; null if the partition is on the disk. */
    private RingPlace ring;

    /** True while a read is in progress. */
    private boolean isPosted;

    /** Number of bytes of the segment that are being read. */
    private int postedLength;
    /** Number of partitions of the topic; 0 before a segment has been opened. */
    private int partitions;

    /** The offset at which the partition ended when it was first opened; -1 before it is opened. */
    private long firstEnd = -1;

    /** Position in the segment at which reading started. */
    private long begin;

    private long readable;
    private boolean isEnded;
    /** The first offset of a gap that has not been reported yet, or {@link #NO_GAP}. */
    private long gapStart = NO_GAP;

    private long skippedCount;
    /** Number of times that the batch at the current position has been read again because of a problem. */
    private int repetitions;

    /** Why the last segment could not be opened. {@link #handOn} throws this exception. */
    private LogClientException failure;

    PartitionReader(
            TopicIdentity topic, int partition, ConsumerStart start, GapPolicy gaps, MemoryPool pool, int fetchLength) {
        this.topic = topic;
        this.partition = partition;
        this.gaps = gaps;
        this.pool = pool;
        this.fetchLength = fetchLength;
        this.startKind = start.kind();
        this.nextOffset = start.value();
        if (start.kind() == StartKind.TIME) {
            startTime = start.value();
        }
    }

    /**
     * Opens the segment that contains the next record, if no segment is open or the current segment has been read to
     * its end.
     */
    void open(ConsumerLink link) {
        if (segment != null && isEnded && !batches.hasMore() && batches.position() == readable) {
            give(link);
        }
        if (segment == null) {
            opened(link, link.open(topic, partition, startKind, nextOffset));
        }
    }

    /**
     * Opens a segment like {@link #open}, but defers a failure to {@link #handOn}, so that one partition does not delay
     * the other partitions.
     */
    void tryOpen(ConsumerLink link) {
        failure = null;
        try {
            open(link);
        } catch (LogClientException e) {
            if (e.code() == LogClientException.Code.TIMEOUT) {
                throw e;
            }
            failure = e;
        }
    }

    private void give(ConsumerLink link) {
        SegmentLink old = segment;
        forget();
        link.close(old);
    }

    private void opened(ConsumerLink link, SegmentLink found) {
        long offset = found.opened().offset();
        if (startKind == StartKind.OFFSET && offset < nextOffset) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    name() + ": the broker opened offset " + offset + " instead of " + nextOffset);
        }
        boolean isInMemory = found.opened().ringSegmentLength() > 0;
        if (startKind == StartKind.OFFSET && offset > nextOffset) {
            if (failsAtGaps(isInMemory)) {
                link.close(found);
                throw deleted(offset, found.opened());
            }
            skipTo(offset, found.opened());
        }
        releaseRing();
        ring = isInMemory
                ? new RingPlace(
                        found.opened().ringSegmentLength(), found.opened().baseOffset(), pool)
                : null;
        segment = found; // last, because allocating the RingPlace may fail
        partitions = found.opened().partitions();
        firstEnd = firstEnd < 0 ? found.opened().nextOffset() : firstEnd;
        startKind = StartKind.OFFSET;
        nextOffset = offset;
        begin = found.opened().position();
        readable = begin;
        isEnded = false;
        repetitions = 0;
        boolean isInside = offset < found.opened().nextOffset(); // if so, the first batch may start before the offset
        batches.begin(begin, isInside ? begin + 1 : begin);
    }

    private boolean failsAtGaps(boolean isInMemory) {
        return gaps == GapPolicy.FAIL || gaps == GapPolicy.BY_STORAGE && !isInMemory;
    }

    private void skipTo(long offset, OpenedSegment opened) {
        gapStart = gapStart == NO_GAP ? nextOffset : gapStart;
        // Offsets below firstOffset do not count, because it is unknown how many of them had records.
        skippedCount += offset - Math.max(nextOffset, opened.firstOffset());
        LOG.atLevel(isOverwritten(opened) ? Level.DEBUG : Level.WARN) // overwriting is normal in memory
                .log("{}: {} the records from {} to {}", name(), cause(opened), nextOffset, offset - 1);
        nextOffset = offset;
    }

    private LogClientException deleted(long oldest, OpenedSegment opened) {
        return new LogClientException(
                LogClientException.Code.DELETED,
                name() + ": " + cause(opened) + " the records from offset " + nextOffset + " to " + (oldest - 1)
                        + " before they were read; continue with offset " + oldest
                        + " or later, or skip gaps with GapPolicy.SKIP");
    }

    /** Returns true if the next record was overwritten, rather than lost when the broker was restarted. */
    private boolean isOverwritten(OpenedSegment opened) {
        return opened.ringSegmentLength() > 0 && nextOffset >= opened.firstOffset();
    }

    private String cause(OpenedSegment opened) {
        if (isOverwritten(opened)) {
            return "newer records overwrote";
        }
        return opened.ringSegmentLength() > 0 ? "the broker was restarted and lost" : "retention deleted";
    }

    /** Discards the segment, because it can no longer be read. */
    void forget() {
        segment = null;
        isPosted = false;
        batches.begin(0, Long.MAX_VALUE);
        readable = 0;
        isEnded = false;
    }

    /** Returns true if the slot's word must be read, because all bytes known to be readable have been read. */
    boolean needsLook() {
        return segment != null && ring == null && !isEnded && !batches.hasMore() && batches.position() == readable;
    }

    /** Returns true if the next step can open the next segment or read bytes without waiting for the broker. */
    boolean canContinue() {
        // A segment that ended before any bytes were read is not reopened, because it would end again.
        boolean mustOpen = segment == null || isEnded && batches.position() > begin;
        boolean mustFind = ring != null && !ring.hasWords();
        return mustOpen || mustFind || batches.hasMore() || batches.position() < readable;
    }

    /**
     * Returns true if the broker can notify this reader when it can continue. Must be called only if
     * {@link #canContinue} returns false.
     */
    boolean canWait() {
        return segment != null && !isEnded && failure == null;
    }

    int slot() {
        return segment.opened().slot();
    }

    /** Applies the word that was read from the segment's slot. */
    void onWord(long word) {
        long position = SlotLayout.position(word);
        checkPosition(position, segment.memory().length());
        readable = Math.max(readable, position);
        isEnded = SlotLayout.isEnded(word);
    }

    private void checkPosition(long position, long segmentLength) {
        if (position < 0 || position > segmentLength) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    name() + ": invalid position from the broker: position=" + position + " in a segment of "
                            + segmentLength + " bytes");
        }
    }

    /** Posts a read of the next bytes of the segment, unless batches are still waiting to be delivered. */
    void post(ConsumerLink link) throws InterruptedException {
        isPosted = false;
        if (ring != null && segment != null) {
            followRing();
        }
        long available = readable - batches.position();
        if (segment == null || batches.hasMore() || available == 0 && ring == null) {
            return;
        }
        int needed = batches.neededLength();
        if (available > 0 && needed > available) {
            batches.fail("the batch is longer than the log: length=" + needed + ", rest=" + available);
            return;
        }
        if (memory == null || needed > batches.capacity()) {
            long position = batches.position();
            reserve(Math.max(needed, fetchLength));
            batches.clear(position);
        }
        int rest = batches.keepRest();
        long wanted = available > 0 ? available : ring.lookAhead(batches.position());
        postedLength = (int) Math.min(wanted, batches.capacity()) - rest;
        long position = batches.position() + rest;
        isPosted = ring == null
                ? link.postRead(segment, position, postedLength, memory, rest)
                : postInMemory(link, position, rest);
        if (!isPosted) {
            give(link);
        }
    }

    private boolean postInMemory(ConsumerLink link, long position, int rest) throws InterruptedException {
        boolean isRead = postedLength == 0 || link.postRead(segment, ring.place(position), postedLength, memory, rest);
        return isRead && ring.postWords(link, segment);
    }

    /** Adds the bytes of the posted read, which must have completed. */
    void arrived() {
        if (isPosted && ring == null) {
            batches.added(postedLength);
        } else if (isPosted && ring.isThere()) {
            takeFromMemory();
        } else if (isPosted) {
            moveOn();
        }
        isPosted = false;
    }

    /** Adds only those bytes that the words of the ring declare readable. The words were read after the bytes. */
    private void takeFromMemory() {
        long read = batches.end();
        checkPosition(ring.end(), ring.segmentLength());
        readable = Math.max(readable, ring.end());
        batches.added((int) Math.max(0, Math.min(postedLength, readable - read)));
        followRing();
    }

    /** Continues with the next segment of the ring, if this segment has been read to its end. */
    private void followRing() {
        if (ring.isFound() && !batches.hasMore() && batches.position() == readable && ring.follow(nextOffset)) {
            beginSegment();
        }
    }

    /**
     * Continues with the segment that starts with the next record, or otherwise with the oldest later segment. Called
     * when the memory of the current segment has been reused.
     */
    private void moveOn() {
        if (!ring.moveTo(nextOffset)) {
            long oldest = ring.oldestAfter(nextOffset);
            if (oldest == RingLayout.NONE) {
                return; // the words changed while they were being read
            }
            if (failsAtGaps(true)) {
                failure = deleted(oldest, segment.opened());
                return;
            }
            skipTo(oldest, segment.opened());
            ring.moveTo(oldest);
        }
        beginSegment();
    }

    private void beginSegment() {
        begin = 0;
        readable = Math.max(0, Math.min(ring.end(), ring.segmentLength()));
        repetitions = 0;
        batches.begin(0, 0);
    }

    private void reserve(int length) {
        Region larger = pool.allocate(length); // first, so that a failure changes nothing
        releaseBuffer();
        memory = larger;
        batches.use(memory.window(0, length));
    }

    /**
     * Delivers the records of the batches that have been read.
     *
     * @return the number of records delivered; if the callback ends the poll, -1 minus this number
     * @throws LogClientException if a batch is damaged, or no segment could be opened
     */
    int handOn(RecordCallback callback) {
        checkOpened();
        reportGap(callback);
        int count = 0;
        while (batches.next(nextOffset)) {
            repetitions = 0;
            if (isBeforeStart()) {
                leave();
                continue;
            }
            boolean goesOn =
                    callback.onRecord(partition, batches.offset(), batches.timestamp(), batches.key(), batches.value());
            leave();
            count++;
            if (!goesOn) {
                return -1 - count;
            }
        }
        if (count == 0 && batches.problem() != null) {
            readAgain();
        }
        return count;
    }

    private void checkOpened() {
        if (failure != null) {
            LogClientException thrown = failure;
            failure = null;
            throw thrown;
        }
    }

    private void reportGap(RecordCallback callback) {
        if (gapStart != NO_GAP) {
            long start = gapStart;
            gapStart = NO_GAP;
            callback.onGap(partition, start, nextOffset);
        }
    }

    private boolean isBeforeStart() {
        boolean isBefore = batches.timestamp() < startTime;
        if (!isBefore) {
            startTime = Long.MIN_VALUE;
        }
        return isBefore;
    }

    private void leave() {
        nextOffset = batches.offset() + 1;
        batches.consumed();
    }

    /**
     * Reads the batch once more before reporting it as damaged, because its bytes may have been read before the word
     * that announced them. For a topic in memory, the batch is read twice more, because a later read of the words shows
     * whether the segment was reused. After a failure, each poll reads the batch again, and thus detects when the
     * broker revokes the segment.
     */
    private void readAgain() {
        String problem = batches.problem();
        batches.clear(batches.position());
        if (repetitions == (ring == null ? 1 : 2)) {
            throw damaged(problem);
        }
        repetitions++;
    }

    private LogClientException damaged(String problem) {
        return new LogClientException(
                LogClientException.Code.DAMAGED,
                name() + ": the segment with base offset " + segment.opened().baseOffset()
                        + " is damaged at position " + batches.position() + ": " + problem
                        + (ring == null ? "; run `rocketlog verify` on the broker's directory, or" : ";")
                        + " continue with an offset above " + nextOffset);
    }

    /** Returns true if reads of the open segment need no response from the broker's process, or no segment is open. */
    boolean readsDirectly() {
        return segment == null || segment.memory().isNative(Capabilities.Operation.READ);
    }

    int partition() {
        return partition;
    }

    /** Returns the number of partitions of the topic; 0 if no segment has been opened. */
    int partitions() {
        return partitions;
    }

    long nextOffset() {
        return nextOffset;
    }

    long firstEnd() {
        return firstEnd;
    }

    long skippedCount() {
        return skippedCount;
    }

    private String name() {
        return LogTopicName.partition(topic.name(), partition);
    }

    private void releaseRing() {
        if (ring != null) {
            ring.release();
            ring = null;
        }
    }

    /** Frees the memory. */
    void release() {
        releaseBuffer();
        releaseRing();
    }

    private void releaseBuffer() {
        if (memory != null) {
            memory.release();
            memory = null;
        }
    }
}
