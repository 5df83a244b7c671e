package io.rocketbufs.rocketlog.log;

import java.nio.ByteBuffer;

/**
 * The sequences of one producer's batches in the log. The sequences are consecutive, so a few ranges describe all of
 * them. A resent batch is therefore recognized regardless of how many batches were sent after it.
 *
 * <p>Consecutive batches in the log, with no batch of another producer in between, form one range, whose offsets are
 * known. Before a sixth range begins, the two oldest ranges are merged into one, whose offsets are unknown.
 *
 * <p>In a seal:
 *
 * <pre>
 *  0                 8             10            12                                                      92
 *  +-----------------+-------------+-------------+-------------------------------------------------------+
 *  | int64 producer  | int16 epoch | int16 count | 5 x {int32 first sequence, int32 last, int64 offset}, |
 *  | id              |             | of ranges   | oldest first, unused entries zero                     |
 *  +-----------------+-------------+-------------+-------------------------------------------------------+
 *
 *  offset: offset of the first record, or -1 if the offsets of the range are unknown
 * </pre>
 *
 * <p><i>Thread-safety:</i> only the appending thread.
 */
final class ProducerState {
    static final int RANGES = 5;
    static final int LENGTH = 12 + RANGES * 16;

    /**
     * Maximum number of sequences in a range: half of the sequence space, so that earlier sequences can be
     * distinguished from later ones.
     */
    private static final int LONGEST_RANGE = 1 << 30;

    private static final long UNKNOWN = -1;

    final long id;
    private short epoch;
    private int count;
    private final int[] firstSequences = new int[RANGES];
    private final int[] lastSequences = new int[RANGES];
    private final long[] offsets = new long[RANGES];

    ProducerState(long id) {
        this.id = id;
    }

    /** Returns the offset of the last record. */
    long lastOffset() {
        return offsets[count - 1] + distance(firstSequences[count - 1], lastSequences[count - 1]);
    }

    /** Compares a batch with this state, and returns one of the results of {@link ProducerStates#check}. */
    long check(short batchEpoch, int firstSequence, int recordCount) {
        if (batchEpoch < epoch) {
            return ProducerStates.FENCED;
        }
        if (batchEpoch > epoch) {
            return firstSequence == 0 ? ProducerStates.NEXT : ProducerStates.OUT_OF_ORDER;
        }
        int lastSequence = lastSequences[count - 1];
        if (firstSequence == sequence(lastSequence, 1)) {
            return ProducerStates.NEXT;
        }
        boolean isBefore = distance(firstSequence, lastSequence) < LONGEST_RANGE;
        return isBefore ? find(firstSequence, recordCount) : ProducerStates.OUT_OF_ORDER;
    }

    private long find(int firstSequence, int recordCount) {
        for (int i = count - 1; i >= 0; i--) {
            int skipped = distance(firstSequences[i], firstSequence);
            if ((long) skipped + recordCount - 1 <= distance(firstSequences[i], lastSequences[i])) {
                return offsets[i] == UNKNOWN ? ProducerStates.REPEATED : offsets[i] + skipped;
            }
        }
        return ProducerStates.OUT_OF_ORDER;
    }

    /**
     * Returns the sequence that is the given number of steps after another sequence. The sequence after the maximum is
     * 0.
     */
    private static int sequence(int from, int number) {
        return from + number & Integer.MAX_VALUE;
    }

    /** Returns the number of steps from one sequence to a later one. */
    private static int distance(int from, int to) {
        return to - from & Integer.MAX_VALUE;
    }

    void add(short batchEpoch, int firstSequence, int recordCount, long baseOffset) {
        if (batchEpoch != epoch) {
            count = 0;
            epoch = batchEpoch;
        }
        int lastSequence = sequence(firstSequence, recordCount - 1);
        if (count > 0 && continuesRange(firstSequence, recordCount, baseOffset)) {
            lastSequences[count - 1] = lastSequence;
            return;
        }
        if (count == RANGES) {
            removeOldest();
        }
        firstSequences[count] = firstSequence;
        lastSequences[count] = lastSequence;
        offsets[count] = baseOffset;
        count++;
    }

    private boolean continuesRange(int firstSequence, int recordCount, long baseOffset) {
        int former = distance(firstSequences[count - 1], lastSequences[count - 1]) + 1;
        return baseOffset == offsets[count - 1] + former
                && firstSequence == sequence(lastSequences[count - 1], 1)
                && former + (long) recordCount <= LONGEST_RANGE;
    }

    /** Removes the oldest range by merging it into the next range, whose offsets then become unknown. */
    private void removeOldest() {
        if (firstSequences[1] == sequence(lastSequences[0], 1)) {
            boolean isTooLong = distance(firstSequences[0], lastSequences[1]) >= LONGEST_RANGE;
            firstSequences[1] = isTooLong ? sequence(lastSequences[1], 1 - LONGEST_RANGE) : firstSequences[0];
            offsets[1] = UNKNOWN;
        }
        count--;
        System.arraycopy(firstSequences, 1, firstSequences, 0, count);
        System.arraycopy(lastSequences, 1, lastSequences, 0, count);
        System.arraycopy(offsets, 1, offsets, 0, count);
    }

    void write(ByteBuffer target) {
        target.putLong(id).putShort(epoch).putShort((short) count);
        for (int i = 0; i < RANGES; i++) {
            boolean isUsed = i < count;
            target.putInt(isUsed ? firstSequences[i] : 0).putInt(isUsed ? lastSequences[i] : 0);
            target.putLong(isUsed ? offsets[i] : 0);
        }
    }

    /** Reads a state. Returns null if it is invalid. */
    static ProducerState read(ByteBuffer source) {
        ProducerState state = new ProducerState(source.getLong());
        state.epoch = source.getShort();
        state.count = source.getShort();
        for (int i = 0; i < RANGES; i++) {
            state.firstSequences[i] = source.getInt();
            state.lastSequences[i] = source.getInt();
            state.offsets[i] = source.getLong();
        }
        return state.count >= 1 && state.count <= RANGES && state.id >= 0 ? state : null;
    }
}
