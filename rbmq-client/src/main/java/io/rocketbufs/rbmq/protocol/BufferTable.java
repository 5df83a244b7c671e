package io.rocketbufs.rbmq.protocol;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * A map from buffer ids to values that does not allocate on lookup.
 *
 * <p>An open-addressed hash table with linear probing: an entry is stored in the first free slot at or after its home
 * slot. When an entry is removed, later entries move up, so no tombstones are needed.
 *
 * <p>Peers choose the ids. Each table has a random seed, so that a peer cannot choose ids that all share a home slot
 * and thus make every search as long as the table.
 *
 * <p><b>Thread-safety:</b> one thread.
 *
 * @param <V> type of the values
 */
public final class BufferTable<V> {
    private static final int FIRST_LENGTH = 8;
    /** An odd factor. Together with the other one, which is also odd, it gives different ids different hash values. */
    private static final int FIRST_FACTOR = 0x85EBCA6B;
    /** A factor that spreads consecutive ids, and ids that differ only in their high bits. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    private final int seed;
    private int[] ids = new int[FIRST_LENGTH];
    private Object[] values = new Object[FIRST_LENGTH];
    private int count;

    /** Creates an empty table with a random seed. */
    public BufferTable() {
        this(ThreadLocalRandom.current().nextInt());
    }

    /** Creates an empty table with the given seed. */
    BufferTable(int seed) {
        this.seed = seed;
    }

    /** Returns the value of a buffer; null if there is none. */
    @SuppressWarnings("unchecked") // only put() stores values
    public V get(int bufferId) {
        return (V) values[slotOf(bufferId)];
    }

    /** Sets the value of a buffer, replacing any previous value. */
    public void put(int bufferId, V value) {
        if (2 * (count + 1) > values.length) {
            grow();
        }
        int slot = slotOf(bufferId);
        count += values[slot] == null ? 1 : 0;
        ids[slot] = bufferId;
        values[slot] = value;
    }

    /** Removes and returns the value of a buffer; null if there is none. */
    public V remove(int bufferId) {
        V removed = get(bufferId);
        if (removed != null) {
            removeAt(slotOf(bufferId));
            count--;
        }
        return removed;
    }

    /** Calls an action with each value, in no particular order. The action must not change this table. */
    @SuppressWarnings("unchecked") // only put() stores values
    public void forEach(Consumer<? super V> action) {
        for (Object value : values) {
            if (value != null) {
                action.accept((V) value);
            }
        }
    }

    /**
     * Fills the gap with the next entry that can be stored there, and repeats this for the gap that the moved entry
     * leaves.
     */
    private void removeAt(int slot) {
        int gap = slot;
        for (int next = next(gap); values[next] != null; next = next(next)) {
            int displacement = next - home(ids[next]) & values.length - 1;
            if (displacement >= (next - gap & values.length - 1)) {
                ids[gap] = ids[next];
                values[gap] = values[next];
                gap = next;
            }
        }
        values[gap] = null;
    }

    /** Returns the slot of a buffer, or the free slot into which it would be inserted. */
    private int slotOf(int bufferId) {
        int slot = home(bufferId);
        while (values[slot] != null && ids[slot] != bufferId) {
            slot = next(slot);
        }
        return slot;
    }

    private int home(int bufferId) {
        return home(bufferId, seed, values.length);
    }

    /**
     * Returns the home slot of a buffer in a table of {@code length} slots, which must be a power of two and at least
     * 2. The shifts make the low bits of the hash depend on the high bits of the id and the seed. Ids that share a home
     * slot under one seed are therefore spread out under another, even if the seeds differ only in their high bits.
     */
    static int home(int bufferId, int seed, int length) {
        int mixed = bufferId ^ seed;
        mixed = (mixed ^ mixed >>> 16) * FIRST_FACTOR;
        mixed ^= mixed >>> 13;
        return mixed * GOLDEN_RATIO >>> Integer.numberOfLeadingZeros(length) + 1;
    }

    /** Returns the seed of this table's hash function. */
    int seed() {
        return seed;
    }

    private int next(int slot) {
        return slot + 1 & values.length - 1;
    }

    private void grow() {
        int[] oldIds = ids;
        Object[] oldValues = values;
        ids = new int[2 * oldIds.length];
        values = new Object[2 * oldValues.length];
        for (int i = 0; i < oldValues.length; i++) {
            if (oldValues[i] != null) {
                int slot = slotOf(oldIds[i]);
                ids[slot] = oldIds[i];
                values[slot] = oldValues[i];
            }
        }
    }
}
