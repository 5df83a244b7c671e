package io.rocketbufs.rocketlog.log;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The sequences of all producers. They are used to detect duplicate batches, missing batches, and batches from a
 * producer that a newer producer with the same id has replaced.
 *
 * <p>A producer without state may begin with any sequence: its earlier batches may have been deleted by retention, or
 * more than {@link #LIMIT} producers have appended since then.
 *
 * <p><i>Thread-safety:</i> only the appending thread. Only a producer's first batch allocates memory.
 */
final class ProducerStates {
    /**
     * Result of {@link #check}: the batch is the producer's next batch. A non-negative result is the offset of a
     * repeated batch.
     */
    static final long NEXT = -1;

    /** Result of {@link #check}: the batch's sequence does not follow that of the producer's last batch. */
    static final long OUT_OF_ORDER = -2;

    /** Result of {@link #check}: a producer with the same id and a later epoch has appended. */
    static final long FENCED = -3;

    /** Result of {@link #check}: the log contains the batch, but the batch's offset is no longer known. */
    static final long REPEATED = -4;

    /** Maximum number of producers. Beyond this limit, the least recently active producers are removed. */
    static final int LIMIT = 100_000;

    private static final int FIRST_CAPACITY = 16;

    /** A hash table with open addressing and linear probing; null marks a free slot. The length is a power of two. */
    private ProducerState[] table = new ProducerState[FIRST_CAPACITY];

    private int count;

    /** Returns the number of producers. */
    int count() {
        return count;
    }

    /** Compares a batch with its producer's state, without changing the state. The batch must have a producer id. */
    long check(ByteBuffer buffer, int batch) {
        ProducerState state = table[place(RecordBatchLayout.producerId(buffer, batch))];
        if (state == null) {
            return NEXT;
        }
        return state.check(
                RecordBatchLayout.producerEpoch(buffer, batch),
                RecordBatchLayout.baseSequence(buffer, batch),
                RecordBatchLayout.count(buffer, batch));
    }

    /** Records an accepted batch, whose offset has been assigned. Does nothing if the batch has no producer id. */
    void add(ByteBuffer buffer, int batch) {
        long id = RecordBatchLayout.producerId(buffer, batch);
        if (id == RecordBatchLayout.NO_PRODUCER) {
            return;
        }
        ProducerState state = table[place(id)];
        if (state == null) {
            if (count >= LIMIT) {
                removeOlderHalf();
            }
            state = new ProducerState(id);
            put(state);
        }
        state.add(
                RecordBatchLayout.producerEpoch(buffer, batch),
                RecordBatchLayout.baseSequence(buffer, batch),
                RecordBatchLayout.count(buffer, batch),
                RecordBatchLayout.baseOffset(buffer, batch));
    }

    private void removeOlderHalf() {
        long[] offsets = Arrays.stream(table)
                .filter(state -> state != null)
                .mapToLong(ProducerState::lastOffset)
                .sorted()
                .toArray();
        removeBefore(offsets[offsets.length / 2]);
    }

    /** Removes the producers whose batches are all before the offset. */
    void removeBefore(long offset) {
        ProducerState[] old = table;
        table = new ProducerState[FIRST_CAPACITY];
        count = 0;
        for (ProducerState state : old) {
            if (state != null && state.lastOffset() >= offset) {
                put(state);
            }
        }
    }

    private void put(ProducerState state) {
        if (2 * (count + 1) > table.length) {
            ProducerState[] old = table;
            table = new ProducerState[2 * old.length];
            for (ProducerState each : old) {
                if (each != null) {
                    table[place(each.id)] = each;
                }
            }
        }
        table[place(state.id)] = state;
        count++;
    }

    /** Returns the index of a producer in the table, or of the free slot for it. */
    private int place(long id) {
        int mask = table.length - 1;
        int place = Long.hashCode(id * 0x9E3779B97F4A7C15L) & mask;
        while (table[place] != null && table[place].id != id) {
            place = (place + 1) & mask;
        }
        return place;
    }

    /** Returns the length of all states in a seal, in bytes. */
    int length() {
        return count * ProducerState.LENGTH;
    }

    /** Writes all states in the order of their producer ids, so that equal states produce equal bytes. */
    void write(ByteBuffer target) {
        Arrays.stream(table)
                .filter(state -> state != null)
                .sorted((a, b) -> Long.compare(a.id, b.id))
                .forEach(state -> state.write(target));
    }

    /** Returns a copy that is not affected by later batches. */
    ProducerStates copy() {
        ByteBuffer copied = ByteBuffer.allocate(length());
        write(copied);
        return read(copied.flip(), count);
    }

    /** Reads the given number of states; returns null if one is invalid or appears twice. */
    static ProducerStates read(ByteBuffer source, int count) {
        ProducerStates states = new ProducerStates();
        for (int i = 0; i < count; i++) {
            ProducerState state = ProducerState.read(source);
            if (state == null || states.table[states.place(state.id)] != null) {
                return null;
            }
            states.put(state);
        }
        return states;
    }
}
