package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.options.Posted;

/**
 * The memory of a segment into which a producer writes batches directly while it has a lease.
 *
 * <p><i>Thread-safety:</i> guarded by the {@link SegmentTarget}.
 */
interface DirectSegment {
    /** The outcome of sending a batch. */
    enum Outcome {
        /** The batch has been written, or is waiting to be written. */
        SENT,
        /** The batch must wait until the transport has room, or earlier reservations are complete. */
        WAIT,
        /** The segment is full. */
        FULL,
        /** The broker has revoked access to the memory. */
        LOST
    }

    /** Writes a batch after the previous batch. */
    Outcome send(ProducerBatch batch);

    /** Returns how many of the most recently sent batches will never be written. */
    default int unwrittenCount() {
        return 0;
    }

    /** A segment that only this producer writes. The producer numbers its batches itself. */
    final class Exclusive implements DirectSegment {
        private static final int NUMBER_MASK = 0xFFFF;

        private final RemoteMemory memory;
        private long position;
        private int number;

        Exclusive(RemoteMemory memory) {
            this.memory = memory;
        }

        @Override
        public Outcome send(ProducerBatch batch) {
            if (batch.length > memory.length() - position) {
                return Outcome.FULL;
            }
            Posted posted = memory.write(batch.region, 0, batch.length, position, number);
            if (posted == Posted.POSTED) {
                position += batch.length;
                number = number + 1 & NUMBER_MASK;
            }
            return outcome(posted);
        }
    }

    /** Returns the outcome that corresponds to the result of posting an operation. */
    static Outcome outcome(Posted posted) {
        return switch (posted) {
            case POSTED -> Outcome.SENT;
            case NO_WINDOW -> Outcome.WAIT;
            case CLOSED -> Outcome.LOST;
        };
    }
}
