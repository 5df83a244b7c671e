package io.rocketbufs.rocketlog.log;

import java.nio.ByteBuffer;

/**
 * The last five batches of one producer. Kafka's clients have at most five batches in flight, so a batch that is sent
 * again is among them.
 *
 * <p>In a seal:
 *
 * <pre>
 *  0                 8             10            12                                                      92
 *  +-----------------+-------------+-------------+-------------------------------------------------------+
 *  | int64 producer  | int16 epoch | int16 count | 5 x {int32 first sequence, int32 last, int64 offset}, |
 *  | id              |             | of batches  | the oldest first, unused ones zero                    |
 *  +-----------------+-------------+-------------+-------------------------------------------------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> the thread that appends.
 */
final class ProducerState {
    static final int BATCHES = 5;
    static final int LENGTH = 12 + BATCHES * 16;

    final long id;
    private short epoch;
    private int count;
    private final int[] firstSequences = new int[BATCHES];
    private final int[] lastSequences = new int[BATCHES];
    private final long[] baseOffsets = new long[BATCHES];

    ProducerState(long id) {
        this.id = id;
    }

    /** Returns the base offset of the last batch. */
    long lastBaseOffset() {
        return baseOffsets[count - 1];
    }

    /** Returns one of the results of {@link ProducerStates#check}. */
    long check(short batchEpoch, int firstSequence, int recordCount) {
        if (batchEpoch < epoch) {
            return ProducerStates.FENCED;
        }
        if (batchEpoch > epoch) {
            return firstSequence == 0 ? ProducerStates.NEXT : ProducerStates.OUT_OF_ORDER;
        }
        int lastSequence = lastSequence(firstSequence, recordCount);
        for (int i = 0; i < count; i++) {
            if (firstSequences[i] == firstSequence && lastSequences[i] == lastSequence) {
                return baseOffsets[i];
            }
        }
        boolean follows = firstSequence == lastSequence(lastSequences[count - 1], 2);
        return follows ? ProducerStates.NEXT : ProducerStates.OUT_OF_ORDER;
    }

    /** Returns the sequence of a batch's last record. The sequence after the maximum is 0. */
    private static int lastSequence(int firstSequence, int recordCount) {
        return firstSequence + recordCount - 1 & Integer.MAX_VALUE;
    }

    void add(short batchEpoch, int firstSequence, int recordCount, long baseOffset) {
        if (batchEpoch != epoch) {
            count = 0;
            epoch = batchEpoch;
        }
        if (count == BATCHES) {
            System.arraycopy(firstSequences, 1, firstSequences, 0, BATCHES - 1);
            System.arraycopy(lastSequences, 1, lastSequences, 0, BATCHES - 1);
            System.arraycopy(baseOffsets, 1, baseOffsets, 0, BATCHES - 1);
            count--;
        }
        firstSequences[count] = firstSequence;
        lastSequences[count] = lastSequence(firstSequence, recordCount);
        baseOffsets[count] = baseOffset;
        count++;
    }

    void write(ByteBuffer target) {
        target.putLong(id).putShort(epoch).putShort((short) count);
        for (int i = 0; i < BATCHES; i++) {
            boolean isUsed = i < count;
            target.putInt(isUsed ? firstSequences[i] : 0).putInt(isUsed ? lastSequences[i] : 0);
            target.putLong(isUsed ? baseOffsets[i] : 0);
        }
    }

    /** Reads a state. Returns null if it is invalid. */
    static ProducerState read(ByteBuffer source) {
        ProducerState state = new ProducerState(source.getLong());
        state.epoch = source.getShort();
        state.count = source.getShort();
        for (int i = 0; i < BATCHES; i++) {
            state.firstSequences[i] = source.getInt();
            state.lastSequences[i] = source.getInt();
            state.baseOffsets[i] = source.getLong();
        }
        return state.count >= 1 && state.count <= BATCHES && state.id >= 0 ? state : null;
    }
}
