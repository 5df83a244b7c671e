package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.options.Posted;

/**
 * The memory of a segment into which a producer writes batches while it has a lease.
 *
 * <p><i>Thread-safety:</i> guarded by the {@link SegmentTarget}.
 */
interface DirectSegment {
    /** The outcome of sending a batch. */
    enum Outcome {
        /** It has been written, or will be. */
        SENT,
        /** It must wait for room in the transport, or for reservations. */
        WAIT,
        /** The segment is full. */
        FULL,
        /** The broker has revoked the memory. */
        LOST
    }

    /** Writes a batch after the previous ones. */
    Outcome send(ProducerBatch batch);

    /** Returns how many of the last batches sent will not be written. */
    default int unwrittenCount() {
        return 0;
    }

    /** A segment that only this producer uses. The producer numbers its batches itself. */
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

    /** Returns the outcome of an operation. */
    static Outcome outcome(Posted posted) {
        return switch (posted) {
            case POSTED -> Outcome.SENT;
            case NO_WINDOW -> Outcome.WAIT;
            case CLOSED -> Outcome.LOST;
        };
    }
}
