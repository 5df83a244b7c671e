package io.rocketbufs.rocketlog.broker;

import java.nio.ByteBuffer;

/**
 * The batch at the front of a producer's buffer while it is being appended. Either a shared lease copies the batch, or
 * the producer's worker appends it while it holds the partition's turn.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class ArrivedBatch {
    private final AppendTurn.Waiter producer;
    private final CopiedBatch copied;
    private ByteBuffer batch;
    private long result;

    /**
     * @param producer called when a batch that had to wait has been appended, or when the append must be retried
     * @param copied the state of the batch while a lease copies it; must call the same producer
     */
    ArrivedBatch(AppendTurn.Waiter producer, CopiedBatch copied) {
        this.producer = producer;
        this.copied = copied;
    }

    /** Returns true if the batch that had to wait was appended or refused. Called after the producer's callback. */
    boolean isAppended() {
        return copied.isDone();
    }

    /**
     * Appends a batch.
     *
     * @param lease the partition's lease; null if there is none
     * @param arrived the batch; must not change until it has been appended or the producer has been called
     * @return false if the caller must wait for the producer's callback, even if the batch has been appended in the
     *     meantime. Otherwise, the caller would mistake this callback for that of the next batch
     */
    boolean append(CopiedBatch.Lease lease, LogPartition partition, ByteBuffer arrived) {
        batch = arrived;
        CopiedBatch.State state = copied.offer(lease, batch);
        if (state != CopiedBatch.State.NONE) {
            return state == CopiedBatch.State.DONE;
        }
        if (!partition.turn().enter(producer)) {
            partition.onAwaited();
            return false;
        }
        try {
            result = partition.append(batch);
        } finally {
            partition.turn().exit();
        }
        return true;
    }

    /** Returns the result of the batch that was appended or refused. Must be called once for each batch. */
    long takeResult() {
        return copied.isDone() ? copied.takeResult() : result;
    }

    /** Returns the last appended batch. */
    ByteBuffer batch() {
        return batch;
    }
}
