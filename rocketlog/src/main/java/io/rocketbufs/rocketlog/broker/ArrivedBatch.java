package io.rocketbufs.rocketlog.broker;

import java.nio.ByteBuffer;

/**
 * The batch at the front of a producer's buffer, while it is being appended: either by a shared lease, which copies it,
 * or in the partition's turn.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class ArrivedBatch {
    private final AppendTurn.Waiter producer;
    private final CopiedBatch copied;
    private ByteBuffer batch;
    private long result;

    /**
     * @param producer called when a batch that had to wait has been appended, or it is worth trying again
     * @param copied calls the same producer
     */
    ArrivedBatch(AppendTurn.Waiter producer, CopiedBatch copied) {
        this.producer = producer;
        this.copied = copied;
    }

    /** Called after the producer's callback. Returns true if the batch that had to wait was appended or refused. */
    boolean isAppended() {
        return copied.isDone();
    }

    /**
     * Appends a batch.
     *
     * @param lease that of the partition; null if there is none
     * @param arrived must not change until the batch has been appended or the producer has been called
     * @return false if the caller must wait for the producer's callback, even if the batch has been appended meanwhile:
     *     the callback would otherwise be taken for that of the next batch
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

    /** Returns the result of the batch that was appended or refused, and forgets the result. */
    long takeResult() {
        return copied.isDone() ? copied.takeResult() : result;
    }

    /** Returns the batch that was appended last. */
    ByteBuffer batch() {
        return batch;
    }
}
