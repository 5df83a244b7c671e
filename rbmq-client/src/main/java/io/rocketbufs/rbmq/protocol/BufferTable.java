package io.rocketbufs.rbmq.protocol;

/**
 * Finds what belongs to a buffer by the buffer's id, without an allocation.
 *
 * <p>An open-addressed hash table with linear probing: an entry lies in the first free slot from its home slot on, and
 * removing one moves those behind it, so that no marks stay.
 *
 * <p><b>Thread-safety:</b> one thread.
 *
 * @param <V> what belongs to a buffer
 */
public final class BufferTable<V> {
    private static final int FIRST_LENGTH = 8;
    /** Spreads ids that follow each other, and those that differ in high bits only. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    private int[] ids = new int[FIRST_LENGTH];
    private Object[] values = new Object[FIRST_LENGTH];
    private int count;

    /** Returns what belongs to a buffer, or null. */
    @SuppressWarnings("unchecked") // only put() stores values
    public V get(int bufferId) {
        return (V) values[slotOf(bufferId)];
    }

    /** Sets what belongs to a buffer, in place of anything before. */
    public void put(int bufferId, V value) {
        if (2 * (count + 1) > values.length) {
            grow();
        }
        int slot = slotOf(bufferId);
        count += values[slot] == null ? 1 : 0;
        ids[slot] = bufferId;
        values[slot] = value;
    }

    /** Removes and returns what belongs to a buffer, or null. */
    public V remove(int bufferId) {
        V removed = get(bufferId);
        if (removed != null) {
            removeAt(slotOf(bufferId));
            count--;
        }
        return removed;
    }

    /** Closes the gap with each later entry that may lie there, which leaves a gap in turn. */
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

    /** The slot of a buffer, or the free one where it belongs. */
    private int slotOf(int bufferId) {
        int slot = home(bufferId);
        while (values[slot] != null && ids[slot] != bufferId) {
            slot = next(slot);
        }
        return slot;
    }

    private int home(int bufferId) {
        return bufferId * GOLDEN_RATIO >>> Integer.numberOfLeadingZeros(values.length) + 1;
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
