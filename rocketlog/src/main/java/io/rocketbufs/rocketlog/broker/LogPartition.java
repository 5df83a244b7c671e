package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;

/**
 * A partition of a topic: its log, the turn to append to it, and its counters.
 *
 * <p><i>Thread-safety:</i> {@link #append} requires the turn; everything else, any thread.
 */
final class LogPartition {
    private final LogDirectory directory;
    private final PartitionLog log;
    private final BatchLimits limits;
    private final AppendTurn turn = new AppendTurn();
    private volatile long batchCount;
    private volatile long byteCount;
    private volatile long duplicateCount;
    private volatile long refusedCount;

    LogPartition(LogDirectory directory, PartitionLog log, BatchLimits limits) {
        this.directory = directory;
        this.log = log;
        this.limits = limits;
    }

    AppendTurn turn() {
        return turn;
    }

    /**
     * Appends what one frame contains, which must be exactly one batch.
     *
     * @param batch the frame's content, from position to limit, which no peer can write to
     * @return a result as {@link AppendResult} describes it
     */
    long append(ByteBuffer batch) {
        long result = appended(batch);
        if (result < 0) {
            refusedCount++;
        }
        return result;
    }

    private long appended(ByteBuffer batch) {
        int length = batch.remaining();
        if (length < RecordBatchLayout.HEADER_LENGTH) {
            return AppendResult.rejected(BatchVerdict.TRUNCATED);
        }
        if (RecordBatchLayout.length(batch, batch.position()) != length) {
            return AppendResult.rejected(BatchVerdict.BAD_LENGTH);
        }
        long offset = log.append(batch, limits);
        if (offset >= 0) {
            batchCount++;
            byteCount += length;
            return offset;
        }
        if (offset == PartitionLog.DUPLICATE) {
            duplicateCount++;
            return log.duplicateOffset();
        }
        return result(offset);
    }

    private long result(long refused) {
        if (refused == PartitionLog.REJECTED) {
            return AppendResult.rejected(log.verdict());
        }
        if (refused == PartitionLog.OUT_OF_ORDER) {
            return AppendResult.OUT_OF_ORDER;
        }
        if (refused == PartitionLog.FENCED) {
            return AppendResult.FENCED;
        }
        return refused == PartitionLog.STORAGE_FULL ? AppendResult.STORAGE_FULL : AppendResult.FAILED;
    }

    /** Returns the offset before which all records survive a crash of the machine. */
    long durableOffset() {
        return directory.durableOffset(log);
    }

    /** Returns why the log accepts nothing further, or null if it does. */
    LogException failure() {
        return log.failure();
    }

    String name() {
        return log.name();
    }

    long startOffset() {
        return log.startOffset();
    }

    long nextOffset() {
        return log.nextOffset();
    }

    /** Returns the number of batches appended since the broker was started. */
    long batchCount() {
        return batchCount;
    }

    /** Returns the number of bytes in them. */
    long byteCount() {
        return byteCount;
    }

    /** Returns the number of batches that producers have sent again. */
    long duplicateCount() {
        return duplicateCount;
    }

    /** Returns the number of batches that were not appended. */
    long refusedCount() {
        return refusedCount;
    }
}
