package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.BatchCheck;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one partition: consecutive record batches, whose records have offsets without gaps.
 *
 * <p>On a disk, appending writes the batch with one system call directly from the caller's buffer, and allocates memory
 * only when a segment ends. {@link Maintenance} performs all slow operations: reserving space, flushing, sealing and
 * deleting. An in-memory log ({@link MemoryLogs}) has no maintenance: appending copies the batch. When all segments are
 * full, appending clears the oldest segment and continues there.
 *
 * <p>When the disk has failed to store data, the log accepts no further records: the kernel may have discarded the
 * data, so a retry could acknowledge lost data. Reading continues to work. Reopening the log recovers the records that
 * can still be read, and writes them to the disk again.
 *
 * <p><i>Thread-safety:</i> one thread at a time may append. Any thread may read and look up offsets.
 */
public final class PartitionLog {
    /** Result of {@link #append}: the batch is invalid, see {@link #verdict}. */
    public static final long REJECTED = -1;

    /** Result of {@link #append}: the log already contains the batch, see {@link #duplicateOffset}. */
    public static final long DUPLICATE = -2;

    /** Result of {@link #append}: the batch's sequence does not follow that of the producer's last batch. */
    public static final long OUT_OF_ORDER = -3;

    /** Result of {@link #append}: a producer with the same id and a later epoch has appended. */
    public static final long FENCED = -4;

    /**
     * Result of {@link #append}: the disk is full, or the process has no free file descriptor. Appending succeeds again
     * once space or a descriptor is free.
     */
    public static final long STORAGE_FULL = -5;

    /** Result of {@link #append}: the log has failed, see {@link #failure}, or is closed. */
    public static final long FAILED = -6;

    /** Result of {@link #read}: retention has deleted the record with this offset, or the record does not exist yet. */
    public static final int OUT_OF_RANGE = Integer.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

    private final String name;
    private final SegmentList segments;
    private final LogOptions options;
    private final BatchCheck check;
    private final ProducerStates producers;
    private final LogReader reader;
    private final Runnable flushRequest;
    /** The memory of an in-memory log; null if the log is on a disk. */
    private final MemoryRing ring;

    private final long firstOffset;
    private BatchVerdict verdict = BatchVerdict.VALID;
    private long duplicateOffset = -1;
    private boolean isFull;
    private volatile LogException failure;
    private volatile long nextOffset;

    private PartitionLog(
            String name, SegmentList segments, ProducerStates producers, LogOptions options, Runnable flushRequest) {
        this.name = name;
        this.options = options;
        this.flushRequest = flushRequest;
        this.check = new BatchCheck(options.longestBatch());
        this.producers = producers;
        this.segments = segments;
        this.ring = segments.ring();
        this.failure = segments.cause();
        this.reader = new LogReader(segments, options);
        this.firstOffset = ring == null ? 0 : segments.first().baseOffset();
        this.nextOffset = segments.isEmpty() ? 0 : segments.head().nextOffset();
    }

    /**
     * Recovers the log in a folder.
     *
     * @param flushRequest called when there is something to flush or to report
     * @param progress the progress of all logs that are being opened
     * @throws LogException if the files are damaged, or a disk operation fails
     */
    static PartitionLog open(
            String name, LogFolder folder, LogOptions options, Runnable flushRequest, RecoveryProgress progress) {
        try {
            Recovery recovered = Recovery.of(name, folder, options, progress);
            SegmentList segments = new SegmentList(folder, options, recovered);
            return new PartitionLog(name, segments, recovered.producers(), options, flushRequest);
        } catch (IOException e) {
            throw LogException.of("open", folder.path(""), e);
        }
    }

    /** Returns a log that could not be opened. It has no records and accepts none, and reading it throws the cause. */
    static PartitionLog unopened(String name, LogOptions options, LogException cause) {
        return new PartitionLog(name, SegmentList.unopened(options, cause), new ProducerStates(), options, () -> {});
    }

    /** Creates an empty in-memory log, which takes ownership of the ring. */
    static PartitionLog inMemory(String name, MemoryRing ring, LogOptions options, long firstOffset)
            throws IOException {
        SegmentList segments = SegmentList.inMemory(ring, options, firstOffset);
        return new PartitionLog(name, segments, new ProducerStates(), options, () -> {});
    }

    /**
     * Appends the batch that begins at the buffer's position. If the batch is accepted, sets its base offset and leader
     * epoch in the buffer. When this method returns, the batch is visible to readers and survives the end of the
     * process. It survives a crash of the machine once {@link LogDirectory#durableOffset} has passed it.
     *
     * @param buffer must not change during the call; memory that a peer can write must be copied first. The buffer may
     *     contain more bytes after the batch; its position and limit stay unchanged.
     * @return the offset of the batch's first record, or one of the negative constants. Except for {@link #FAILED}, the
     *     log is then unchanged.
     * @throws RuntimeException if the buffer is read-only; also if a bug in this program has made the log
     *     {@linkplain #failure fail}
     */
    public long append(ByteBuffer buffer) {
        return append(buffer, BatchLimits.NONE);
    }

    /**
     * Appends as {@link #append(ByteBuffer)} does, but rejects batches that exceed the limits for their source.
     *
     * @param limits limits that valid batches must also observe
     */
    public long append(ByteBuffer buffer, BatchLimits limits) {
        long refused = check(buffer, limits);
        return refused == 0 ? store(buffer) : refused;
    }

    /**
     * Returns the reason why a batch would not be appended, as one of the negative constants, or 0 if it would be
     * appended. Only the appending thread may call this method.
     */
    public long check(ByteBuffer buffer, BatchLimits limits) {
        if (failure != null) {
            return FAILED;
        }
        BatchVerdict checked = check.check(buffer);
        verdict = checked == BatchVerdict.VALID ? limits.check(buffer) : checked;
        return verdict == BatchVerdict.VALID ? refuse(buffer, buffer.position()) : REJECTED;
    }

    /**
     * Appends a batch after the last batch while the head is lent. No peer may write another batch there.
     *
     * @param buffer contains, from position to limit, a batch for which {@link #check} has returned 0
     * @return as for {@link #append(ByteBuffer)}; {@link #STORAGE_FULL} also means that the segment can take no more
     *     batches
     */
    public long append(SegmentLoan loan, ByteBuffer buffer) {
        int batch = buffer.position();
        int length = buffer.remaining();
        // Since the check, the producer may have appended over another connection.
        long refused = failure != null ? FAILED : refuseLent(buffer, batch, length);
        long offset = refused != 0 ? refused : store(buffer);
        if (offset >= 0) {
            loan.remember(buffer, batch, length);
        }
        return offset;
    }

    private long store(ByteBuffer buffer) {
        int batch = buffer.position();
        int length = (int) RecordBatchLayout.length(buffer, batch);
        long offset = nextOffset;
        RecordBatchLayout.assign(buffer, batch, offset, SegmentScan.LEADER_EPOCH);
        try {
            long result = write(buffer, batch, length);
            if (result < 0) {
                RecordBatchLayout.assign(buffer, batch, RecordBatchLayout.NOT_ASSIGNED, RecordBatchLayout.NOT_ASSIGNED);
                return result;
            }
            appended(buffer, batch);
        } catch (RuntimeException | Error e) {
            // The file may contain all or part of the batch without its producer's state; only recovery can determine
            // this.
            fail(LogException.unexpected("appending has failed", e));
            throw e;
        }
        return offset;
    }

    /**
     * Lends the head's memory after the last batch, so that a peer can write batches there. Starts a new head if the
     * longest batch would not fit. Until {@link #takeBack}, batches may be appended only by {@link #commit} and
     * {@link #append(SegmentLoan, ByteBuffer)}. May block on disk I/O.
     *
     * @throws LogException if the log has failed, or the disk has no space for the whole segment
     * @throws io.rocketbufs.memory.MemoryException if the file cannot be mapped
     * @throws UnsupportedOperationException if the log is in memory
     */
    public SegmentLoan lend() {
        if (failure != null) {
            throw failure;
        }
        if (isInMemory()) {
            throw new UnsupportedOperationException("this memory is reused while producers could still write to it");
        }
        try {
            if (!hasRoom()) {
                roll();
            }
            Segment head = segments.head();
            return new SegmentLoan(head, head.lend(options.segmentLength()), SegmentScan.LEADER_EPOCH);
        } catch (IOException e) {
            throw LogException.of("lend", segments.head().path(), e);
        }
    }

    /**
     * Appends a batch that a peer has written to lent memory after the last batch, without copying it. The peer can
     * change the bytes during the call, so this method first copies the header and then uses only the copy. Otherwise,
     * it works like {@link #append(ByteBuffer, BatchLimits)}, except that the batch must have the offset and the epoch
     * of a batch that has not been appended.
     *
     * @param length number of bytes that the peer has written
     * @param producerId id that the batch must have, or {@link RecordBatchLayout#NO_PRODUCER} for any id
     * @return as for {@link #append(ByteBuffer)}; {@link #STORAGE_FULL} also means that the segment can take no more
     *     batches
     */
    public long commit(SegmentLoan loan, int length, long producerId, BatchLimits limits) {
        if (failure != null) {
            return FAILED;
        }
        verdict = loan.check(length, producerId, check, limits);
        if (verdict != BatchVerdict.VALID) {
            return REJECTED;
        }
        ByteBuffer header = loan.header();
        long refused = refuseLent(header, 0, length);
        if (refused != 0) {
            return refused;
        }
        long offset = nextOffset;
        try {
            loan.assign(offset);
            segments.head().publish(header, 0, length);
            loan.remember(header, 0, length);
            appended(header, 0);
        } catch (RuntimeException | Error e) {
            fail(LogException.unexpected("appending has failed", e));
            throw e;
        }
        return offset;
    }

    /**
     * Ends a loan. No peer may still have access to the memory. Removes the bytes after the last batch, which the peer
     * may have written. These bytes may reappear after a crash of the machine, but without the offsets that would make
     * them part of the log. The caller must close the loan.
     *
     * @param isChanged whether the peer has changed an accepted batch. The log then starts a new head, as it also does
     *     if the head has no room for the longest batch. Sealing the old head protects later batches: recovery trusts a
     *     sealed segment, but ends the log at the first damaged batch of an unsealed segment
     */
    public void takeBack(SegmentLoan loan, boolean isChanged) {
        if (failure != null) {
            return;
        }
        try {
            loan.segment().shorten();
            if (isChanged || !hasRoom()) {
                roll();
            }
        } catch (IOException e) {
            fail(LogException.of("end the loan of", loan.segment().path(), e));
        }
    }

    /** Returns true if the head has room for the longest batch. Only the appending thread may call this method. */
    public boolean hasRoom() {
        return segments.hasRoom(options.longestBatch(), options.longestBatch());
    }

    private void roll() throws IOException {
        if (isInMemory()) {
            segments.rollInMemory(); // the states of producers outlive their records
            return;
        }
        producers.removeBefore(segments.first().baseOffset());
        segments.roll(producers);
    }

    private void appended(ByteBuffer buffer, int batch) {
        nextOffset = segments.head().nextOffset();
        producers.add(buffer, batch);
        if (options.flush() == LogOptions.FlushPolicy.ALWAYS) {
            flushRequest.run(); // does nothing for an in-memory log
        }
    }

    private long refuseLent(ByteBuffer buffer, int batch, int length) {
        long refused = refuse(buffer, batch);
        boolean hasRoom = segments.hasRoom(length, RecordBatchLayout.lastOffsetDelta(buffer, batch));
        return refused != 0 || hasRoom ? refused : STORAGE_FULL;
    }

    private long refuse(ByteBuffer buffer, int batch) {
        boolean hasProducer = RecordBatchLayout.producerId(buffer, batch) != RecordBatchLayout.NO_PRODUCER;
        long found = hasProducer ? producers.check(buffer, batch) : ProducerStates.NEXT;
        if (found >= 0 || found == ProducerStates.REPEATED) {
            duplicateOffset = Math.max(found, -1);
            return DUPLICATE;
        }
        return found == ProducerStates.NEXT ? 0 : found == ProducerStates.FENCED ? FENCED : OUT_OF_ORDER;
    }

    private long write(ByteBuffer buffer, int batch, int length) {
        int limit = buffer.limit();
        try {
            if (!segments.hasRoom(length, RecordBatchLayout.lastOffsetDelta(buffer, batch))) {
                roll();
            }
            segments.head().write(buffer.limit(batch + length));
            segments.head().publish(buffer, batch, length);
            isFull = false;
            return 0;
        } catch (IOException e) {
            return refuse(e);
        } finally {
            buffer.limit(limit).position(batch);
        }
    }

    /** Handles a failed write. Removes the bytes that it left in the file, so that they are never read as a batch. */
    private long refuse(IOException cause) {
        LogException refused = LogException.of("append to", segments.head().path(), cause);
        if (!refused.isTemporary()) {
            fail(refused);
            return FAILED;
        }
        try {
            segments.head().cutToEnd();
        } catch (IOException e) {
            fail(LogException.of(
                    "remove an incomplete batch from", segments.head().path(), e));
            return FAILED;
        }
        if (!isFull) {
            isFull = true;
            LOG.error("{}: {}", name, refused.getMessage());
        }
        return STORAGE_FULL;
    }

    /** Rejects all further appends. Keeps and logs the first cause. */
    synchronized void fail(LogException cause) {
        if (failure == null) {
            failure = cause;
            LOG.error("{} accepts no further records: {}", name, cause.getMessage());
            flushRequest.run(); // the maintenance thread reports the failure
        }
    }

    /** Rejects all further appends because the log is closed. */
    synchronized void end() {
        if (failure == null) {
            failure = new LogException(LogException.Code.CLOSED, name + " is closed", "open it again", null);
        }
    }

    /**
     * Rejects all further appends, because the log will be {@linkplain LogDirectory#remove removed}. Its
     * {@link #failure} then has the code {@link LogException.Code#DELETED}. Any thread may call this method.
     */
    public synchronized void delete() {
        failure = new LogException(LogException.Code.DELETED, name + " was deleted", "create the topic again", null);
    }

    /**
     * Reads whole batches into the target, starting with the batch that contains the given offset. Advances the
     * target's position past them. Does not check CRCs. Also returns records at or above
     * {@link LogDirectory#durableOffset}. After a crash of the machine, the offsets of these records may belong to
     * different records.
     *
     * @param target has at least {@link RecordBatchLayout#HEADER_LENGTH} remaining bytes, big-endian
     * @return the number of bytes read, 0 if the offset is {@link #nextOffset}, or {@link #OUT_OF_RANGE}. If not even
     *     the first batch fits, the result is its length as a negative number
     * @throws IllegalArgumentException if the target has too few remaining bytes, or is little-endian
     * @throws LogException if the disk fails, no batch begins at the position in the index, or the log is not open
     */
    public int read(long offset, ByteBuffer target) {
        return reader.read(offset, target);
    }

    /**
     * Returns the offset of the first batch with a record whose timestamp is at or after the given timestamp, or
     * {@link #nextOffset} if there is no such batch.
     *
     * @param timestamp milliseconds since 1970
     * @throws LogException as for {@link #read}
     */
    public long offsetOf(long timestamp) {
        return reader.offsetOf(timestamp, nextOffset);
    }

    /**
     * Returns a view of the segment that contains an offset. The view gives access to the segment's memory, and shows
     * the same batches as {@link #read}.
     *
     * @param offset must not be negative; if retention has deleted its record, the oldest record is used
     * @return null if the offset is higher than {@link #nextOffset}
     * @throws LogException as for {@link #read}, or if the file cannot be mapped
     */
    public SegmentView view(long offset) {
        return reader.view(offset, nextOffset);
    }

    /** Ends an in-memory log. Its memory is freed when the last view has been closed. */
    void endInMemory() {
        end();
        try {
            segments.release();
        } catch (IOException e) {
            throw LogException.of("close", name, e);
        }
        ring.close();
    }

    /** Returns true if the log is kept in memory, with nothing on a disk. */
    public boolean isInMemory() {
        return ring != null;
    }

    /** Returns the length of each segment of the in-memory ring, or 0 if the log is on a disk. */
    public int ringSegmentLength() {
        return isInMemory() ? options.segmentLength() : 0;
    }

    /** Returns the offset of the first record that the log contained. That record may have been deleted. */
    public long firstOffset() {
        return firstOffset;
    }

    /** Returns the partition's name. */
    public String name() {
        return name;
    }

    /** Returns the offset of the oldest record. */
    public long startOffset() {
        return segments.isEmpty() ? 0 : segments.first().baseOffset();
    }

    /** Returns the number of segments. */
    public int segmentCount() {
        return segments.all().length;
    }

    /** Returns the number of bytes in all batches. */
    public long length() {
        return segments.length();
    }

    /** Returns the offset that the next record will have. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Returns why the last append was {@link #REJECTED}. Only the appending thread may call this method. */
    public BatchVerdict verdict() {
        return verdict;
    }

    /**
     * Returns the offset of the batch that the last {@link #DUPLICATE} repeats, or -1 if it is no longer known. The
     * batch may be acknowledged again only when {@link LogDirectory#durableOffset} has passed it. Appender only.
     */
    public long duplicateOffset() {
        return duplicateOffset;
    }

    /** Returns why the log accepts no further records, or null if it accepts them. */
    public LogException failure() {
        return failure;
    }

    LogOptions options() {
        return options;
    }

    SegmentList segments() {
        return segments;
    }

    ProducerStates producers() {
        return producers;
    }
}
