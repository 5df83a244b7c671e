package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.client.ConsumerLink.SegmentLink;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketnet.TransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer's place in one partition, and the bytes that it has read there.
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
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns its region.
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
    /** Records with earlier timestamps are skipped, up to the first one that is not earlier. */
    private long startTime = Long.MIN_VALUE;

    private Region memory;
    /** Null while no segment is open. */
    private SegmentLink segment;
    /** Number of partitions of the topic; 0 if no segment has been opened. */
    private int partitions;

    /** The offset that the next record had when the partition was opened for the first time. */
    private long firstEnd = -1;

    /** Where reading the segment began. */
    private long begin;

    private long readable;
    private boolean isEnded;
    /** The first offset of a gap that has not been reported. */
    private long gapStart = NO_GAP;

    private long skippedCount;
    /** True if the bytes at the current position have been read twice because of a problem. */
    private boolean isReadAgain;

    /** Why the last segment could not be opened; thrown when it is the partition's turn. */
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

    /** Opens the segment with the next record, if the reader has read the last one to its end, or has none. */
    void open(ConsumerLink link) {
        if (segment != null && isEnded && !batches.hasMore() && batches.position() == readable) {
            give(link);
        }
        if (segment == null) {
            opened(link, link.open(topic, partition, startKind, nextOffset));
        }
    }

    /**
     * Opens like {@link #open}, but defers a failure to {@link #handOn}, so that a partition does not delay the others.
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
                    name() + ": the broker has opened offset " + offset + " instead of " + nextOffset);
        }
        if (startKind == StartKind.OFFSET && offset > nextOffset) {
            if (gaps == GapPolicy.FAIL) {
                link.close(found);
                throw deleted(offset);
            }
            gapStart = gapStart == NO_GAP ? nextOffset : gapStart;
            skippedCount += offset - nextOffset;
            LOG.warn("{}: retention has deleted the records from {} to {}", name(), nextOffset, offset - 1);
        }
        segment = found;
        partitions = found.opened().partitions();
        firstEnd = firstEnd < 0 ? found.opened().nextOffset() : firstEnd;
        startKind = StartKind.OFFSET;
        nextOffset = offset;
        begin = found.opened().position();
        readable = begin;
        isEnded = false;
        isReadAgain = false;
        batches.clear(readable);
    }

    private LogClientException deleted(long oldest) {
        return new LogClientException(
                LogClientException.Code.DELETED,
                name() + ": retention has deleted the records from offset " + nextOffset + " to " + (oldest - 1)
                        + " before they were read; continue with offset " + oldest
                        + " or later, or skip gaps with GapPolicy.SKIP");
    }

    /** Forgets the segment, because it can no longer be read. */
    void forget() {
        segment = null;
        batches.clear(0);
        readable = 0;
        isEnded = false;
    }

    /** Returns true if all that is known to be readable has been read. */
    boolean needsLook() {
        return segment != null && !isEnded && !batches.hasMore() && batches.position() == readable;
    }

    /** Returns true if the next step can do something at once: open the next segment, or read. */
    boolean canContinue() {
        boolean mustOpen = segment == null || isEnded && batches.position() > begin; // otherwise, it would end again
        return mustOpen || batches.hasMore() || batches.position() < readable;
    }

    int slot() {
        return segment.opened().slot();
    }

    /** Applies the word of the segment's slot. */
    void onWord(long word) {
        long position = SlotLayout.position(word);
        if (position > segment.memory().length()) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    name() + ": the broker shows position=" + position + " in a segment of "
                            + segment.memory().length() + " bytes");
        }
        readable = Math.max(readable, position);
        isEnded = SlotLayout.isEnded(word);
    }

    /** Reads the next bytes of the segment, unless there are batches that have not been delivered. */
    void fetch(ConsumerLink link) throws InterruptedException {
        long available = readable - batches.position();
        if (segment == null || batches.hasMore() || available == 0) {
            return;
        }
        int needed = batches.neededLength();
        if (needed > available) {
            batches.fail("the batch is longer than the log: length=" + needed + ", rest=" + available);
            return;
        }
        if (memory == null || needed > batches.capacity()) {
            long position = batches.position();
            reserve(Math.max(needed, fetchLength));
            batches.clear(position);
        }
        int rest = batches.keepRest();
        int length = (int) Math.min(available, batches.capacity()) - rest;
        if (link.readSegment(segment, batches.position() + rest, length, memory, rest)) {
            batches.added(length);
        } else {
            give(link);
        }
    }

    private void reserve(int length) {
        Region larger = pool.allocate(length); // first: if it fails, nothing has changed
        release();
        memory = larger;
        batches.use(memory.window(0, length));
    }

    /**
     * Delivers the records of the batches that have been read.
     *
     * @return the number of records; -1 minus this number if the callback ends the poll
     * @throws LogClientException if a batch is damaged, or no segment could be opened
     */
    int handOn(RecordCallback callback) {
        checkOpened();
        reportGap(callback);
        int count = 0;
        while (batches.next(nextOffset)) {
            isReadAgain = false;
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
     * Reads the batch once more before it counts as damaged: a device may have read its bytes before the word that
     * announced them.
     */
    private void readAgain() {
        String problem = batches.problem();
        if (isReadAgain) {
            throw damaged(problem);
        }
        isReadAgain = true;
        batches.clear(batches.position());
    }

    private LogClientException damaged(String problem) {
        return new LogClientException(
                LogClientException.Code.DAMAGED,
                name() + ": the segment with base offset " + segment.opened().baseOffset()
                        + " is damaged at position " + batches.position() + ": " + problem
                        + "; run `rocketlog verify` on the broker's directory, or continue with an offset above "
                        + nextOffset);
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

    /** Frees the memory. */
    void release() {
        if (memory != null) {
            memory.release();
            memory = null;
        }
    }
}
