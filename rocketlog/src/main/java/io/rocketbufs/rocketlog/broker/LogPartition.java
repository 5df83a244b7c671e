package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.log.SegmentLoan;
import io.rocketbufs.rocketlog.log.SegmentView;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A partition of a topic, with its log and the turn that appenders need.
 *
 * <p><i>Thread-safety:</i> the caller of {@link #append} must hold the turn; any thread may call all other methods.
 */
final class LogPartition {
    /**
     * The minimum pause before the next shared lease, in nanoseconds. Producers that have lost a shared segment
     * immediately request another segment; the pause prevents the same cause from ending the next lease too.
     */
    static final long SHARE_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    private final LogDirectory directory;
    private final PartitionLog log;
    private final BatchLimits limits;
    /** True if records are acknowledged and visible only once they survive a crash of the machine. */
    private final boolean waitsForDisk;

    private final LogCounters counters;
    /** The offset up to which overwritten records have been counted. Changed only by the thread that holds the turn. */
    private long countedOffset;

    private volatile long shareAgainNs = System.nanoTime();
    /** The segments that consumers have open. The array is replaced under this object's lock. */
    private volatile OpenSegment[] readers = {};
    /** Number of readers whose consumers wait for records. */
    private final AtomicInteger waits = new AtomicInteger();

    private final AppendTurn turn = new AppendTurn();
    /** The lease that currently holds the turn; null if there is none. */
    private volatile PartitionLease lease;

    /**
     * @param isDurable true if records on a disk are acknowledged and visible only once they survive a crash of the
     *     machine
     * @param counters the counters of all partitions
     */
    LogPartition(
            LogDirectory directory, PartitionLog log, BatchLimits limits, boolean isDurable, LogCounters counters) {
        this.directory = directory;
        this.log = log;
        this.limits = limits;
        this.waitsForDisk = isDurable && !log.isInMemory();
        this.counters = counters;
        this.countedOffset = log.firstOffset();
    }

    /**
     * Returns true if producers receive results, and consumers see records, only after the disk has stored the records.
     */
    boolean waitsForDisk() {
        return waitsForDisk;
    }

    /** Returns true if the records are kept in memory. */
    boolean isInMemory() {
        return log.isInMemory();
    }

    AppendTurn turn() {
        return turn;
    }

    /**
     * Appends the content of one frame, which must be exactly one batch.
     *
     * @param batch the frame's content, from position to limit; no peer may be able to write to it
     * @return a result, see {@link AppendResult}
     */
    long append(ByteBuffer batch) {
        return counted(appended(batch));
    }

    /** Appends a batch that a producer has written into the memory of the head, see {@link PartitionLog#commit}. */
    long commit(SegmentLoan loan, int length, long producerId) {
        long offset = log.commit(loan, length, producerId, limits);
        if (offset >= 0) {
            counters.writtenBatches.increment();
        }
        return counted(result(offset, length));
    }

    /**
     * Checks a batch before it is copied into lent memory.
     *
     * @param batch as in {@link #append(ByteBuffer)}
     * @return {@link WrittenBatches#ACCEPTED} if it can be appended; otherwise its result
     */
    long check(ByteBuffer batch) {
        long refused = framing(batch);
        if (refused != 0) {
            return counted(refused);
        }
        long checked = log.check(batch, limits);
        return checked == 0 ? WrittenBatches.ACCEPTED : counted(result(checked, 0));
    }

    /** Appends a checked batch while the head is lent, see {@link PartitionLog#append(SegmentLoan, ByteBuffer)}. */
    long append(SegmentLoan loan, ByteBuffer batch) {
        return counted(result(log.append(loan, batch), batch.remaining()));
    }

    private long counted(long result) {
        if (!AppendResult.isInLog(result)) {
            counters.refusedBatches.add(result);
        }
        if (isInMemory()) {
            countOverwritten();
        }
        if (!waitsForDisk) {
            publish();
        }
        return result;
    }

    private void countOverwritten() {
        long start = log.startOffset();
        if (start > countedOffset) {
            counters.overwrittenRecords.add(start - countedOffset);
            countedOffset = start;
        }
    }

    private long appended(ByteBuffer batch) {
        long refused = framing(batch);
        return refused != 0 ? refused : result(log.append(batch, limits), batch.remaining());
    }

    /** Returns the result for a frame that does not contain exactly one batch, or 0 if it does. */
    private static long framing(ByteBuffer batch) {
        int length = batch.remaining();
        if (length < RecordBatchLayout.HEADER_LENGTH) {
            return AppendResult.rejected(BatchVerdict.TRUNCATED);
        }
        return RecordBatchLayout.length(batch, batch.position()) == length
                ? 0
                : AppendResult.rejected(BatchVerdict.BAD_LENGTH);
    }

    private long result(long offset, int length) {
        if (offset >= 0) {
            counters.appendedBatches.increment();
            counters.appendedBytes.add(length);
            return offset;
        }
        if (offset == PartitionLog.DUPLICATE) {
            counters.duplicateBatches.increment();
            return log.duplicateOffset() < 0 ? AppendResult.REPEATED : log.duplicateOffset();
        }
        return refusal(offset);
    }

    private long refusal(long refused) {
        if (refused == PartitionLog.REJECTED) {
            return AppendResult.rejected(log.verdict());
        }
        if (refused == PartitionLog.OUT_OF_ORDER) {
            return AppendResult.OUT_OF_ORDER;
        }
        if (refused == PartitionLog.FENCED) {
            return AppendResult.FENCED;
        }
        return refused == PartitionLog.STORAGE_FULL ? AppendResult.STORAGE_FULL : failedResult();
    }

    /** Lends the head's memory, see {@link PartitionLog#lend}. */
    SegmentLoan lend() {
        return log.lend();
    }

    /** Ends a loan, see {@link PartitionLog#takeBack}. May also end the segment. */
    void takeBack(SegmentLoan loan, boolean isChanged) {
        log.takeBack(loan, isChanged);
        publish();
    }

    /** Returns true if the head has room for the longest batch. The caller must hold the turn. */
    boolean hasRoom() {
        return log.hasRoom();
    }

    /** Counts a lease during which acknowledged records were changed. */
    void countChanged() {
        counters.changedLeases.increment();
    }

    /** Starts a lease, which holds the turn until {@link #leaseEnded} is called. Returns false if the turn is taken. */
    boolean beginLease(PartitionLease next) {
        if (!turn.tryEnter()) {
            return false;
        }
        lease = next;
        counters.startedLeases.increment();
        return true;
    }

    /** Releases the turn that the lease holds. */
    void leaseEnded() {
        lease = null;
        turn.exit();
    }

    /** Ends the lease, if there is one, so that it releases the turn. Called by any thread. */
    void endLease() {
        PartitionLease current = lease;
        if (current != null) {
            current.end();
        }
    }

    /**
     * Called by any thread when a waiter waits for the turn. The lease then releases the turn, or appends the waiting
     * batch.
     */
    void onAwaited() {
        PartitionLease current = lease;
        if (current != null) {
            current.onAwaited();
        }
    }

    /** Returns the current lease, or null if there is none. */
    PartitionLease lease() {
        return lease;
    }

    /** Returns the names of the clients that hold the lease, or null if there is no lease. */
    String leaseHolder() {
        PartitionLease current = lease;
        return current == null ? null : current.clients();
    }

    /** Counts a shared lease that ended because batches could not be appended in order. */
    void countBroken() {
        counters.brokenLeases.increment();
        pauseSharing();
    }

    /** Refuses new shared leases for {@link #SHARE_AGAIN_NS} nanoseconds. */
    void pauseSharing() {
        shareAgainNs = System.nanoTime() + SHARE_AGAIN_NS;
    }

    /** Returns true for {@link #SHARE_AGAIN_NS} nanoseconds after {@link #pauseSharing}. */
    boolean isSharingPaused() {
        return System.nanoTime() - shareAgainNs < 0;
    }

    /** Rejects all further appends and ends consumers' access, because the topic was deleted. Called by any thread. */
    void delete() {
        log.delete();
        endLease();
        for (OpenSegment reader : readers) {
            reader.checkDeleted();
        }
    }

    /** Returns true if the topic was deleted. */
    boolean isDeleted() {
        LogException failure = log.failure();
        return failure != null && failure.code() == LogException.Code.DELETED;
    }

    /** Returns the result for a batch that cannot be appended because the log has failed, see {@link #failure}. */
    long failedResult() {
        return isDeleted() ? AppendResult.TOPIC_DELETED : AppendResult.FAILED;
    }

    /** Returns the state of the partition. */
    TopicState.Partition state() {
        String holder = leaseHolder();
        LogException failure = failure();
        return new TopicState.Partition(
                startOffset(),
                nextOffset(),
                isInMemory() ? 0 : durableOffset(),
                log.length(),
                log.segmentCount(),
                holder == null ? "" : holder,
                failure == null ? "" : failure.getMessage());
    }

    /**
     * Publishes the position up to which consumers may now read, and notifies the consumers that wait for it. Allocates
     * no memory if no consumer waits. For a log in memory, the append itself makes the new position visible to all
     * consumers.
     */
    void publish() {
        if (!isInMemory()) {
            for (OpenSegment reader : readers) {
                reader.publish();
            }
        }
        if (waits.get() > 0) { // after readableOffset has grown; the start of a wait uses the reverse order
            for (OpenSegment reader : readers) {
                reader.checkReady();
            }
        }
    }

    /** Counts a reader whose consumer waits, so that {@link #publish} notifies it. */
    void addWait() {
        waits.incrementAndGet();
    }

    /** Stops counting a reader as waiting, after {@link #addWait}. */
    void removeWait() {
        waits.decrementAndGet();
    }

    /** Returns the number of readers whose consumers wait for records. */
    int waitCount() {
        return waits.get();
    }

    /** Adds a segment that a consumer has opened, and publishes the position up to which it may read. */
    void addReader(OpenSegment reader) {
        synchronized (this) {
            OpenSegment[] more = Arrays.copyOf(readers, readers.length + 1);
            more[readers.length] = reader;
            readers = more;
        }
        counters.openedSegments.increment();
        if (!isInMemory()) { // otherwise, the consumer reads the position directly
            reader.publish();
        }
        reader.checkDeleted(); // after the reader has been added, so that no deletion is missed
    }

    /** Called when retention has deleted segments. */
    void onDeleted() {
        for (OpenSegment reader : readers) {
            reader.checkDeleted();
        }
    }

    /** Called when another program has truncated files. Ends all clients' access to these files. */
    void onTruncated() {
        endLease();
        onDeleted();
    }

    synchronized void removeReader(OpenSegment reader) {
        readers = Arrays.stream(readers).filter(each -> each != reader).toArray(OpenSegment[]::new);
    }

    /** Returns the number of segments that consumers have open. */
    int readerCount() {
        return readers.length;
    }

    /** Counts a segment that a consumer has closed, or had open when its connection ended. */
    void countClosed() {
        counters.closedSegments.increment();
    }

    /** Counts a deleted segment to which the broker revoked a consumer's access. */
    void countRevoked() {
        counters.revokedSegments.increment();
    }

    /** Returns the offset of the batch for a timestamp, see {@link PartitionLog#offsetOf}. */
    long offsetOf(long timestamp) {
        return log.offsetOf(timestamp);
    }

    /** Returns a view of the segment that contains an offset, see {@link PartitionLog#view}. */
    SegmentView view(long offset) {
        return log.view(offset);
    }

    /** Returns the position in a view up to which consumers may read. */
    long readableEnd(SegmentView view) {
        return waitsForDisk ? view.endBefore(durableOffset()) : view.end();
    }

    /** Returns the offset before which consumers may read all records. */
    long readableOffset() {
        return waitsForDisk ? durableOffset() : nextOffset();
    }

    /**
     * Returns the offset before which all records survive a crash of the machine. For a log in memory, returns the next
     * offset.
     */
    long durableOffset() {
        return isInMemory() ? log.nextOffset() : directory.durableOffset(log);
    }

    /** Returns why the log accepts no further records, or null if it has not failed. */
    LogException failure() {
        return log.failure();
    }

    String name() {
        return log.name();
    }

    PartitionLog log() {
        return log;
    }

    /** Returns the length of each segment in memory, see {@link PartitionLog#ringSegmentLength}. */
    int ringSegmentLength() {
        return log.ringSegmentLength();
    }

    /** Returns the offset of the first record, see {@link PartitionLog#firstOffset}. */
    long firstOffset() {
        return log.firstOffset();
    }

    long startOffset() {
        return log.startOffset();
    }

    long nextOffset() {
        return log.nextOffset();
    }
}
