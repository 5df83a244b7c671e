package io.rocketbufs.memory;

import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The free ranges in all slabs of a pool, allocated by best fit. Adjacent ranges are always merged. Every operation
 * takes logarithmic time.
 *
 * <p>Best fit has two advantages over first fit: it needs no custom tree to run in logarithmic time, and it leaves a
 * long range intact if a shorter range suffices.
 *
 * <p><i>Thread-safety:</i> none; guarded by the pool's lock.
 */
final class FreeRanges {
    private final NavigableMap<Long, FreeRange> byAddress = new TreeMap<>();
    private final NavigableSet<FreeRange> byLength =
            new TreeSet<>(Comparator.comparingLong(FreeRange::length).thenComparingLong(FreeRange::address));

    /**
     * Removes and returns a range of exactly this length from the start of the shortest free range that is long enough.
     */
    Optional<FreeRange> take(long length) {
        FreeRange found = byLength.ceiling(new FreeRange(null, 0, length));
        if (found == null) {
            return Optional.empty();
        }
        remove(found);
        if (found.length() > length) {
            insert(new FreeRange(found.slab(), found.address() + length, found.length() - length));
        }
        return Optional.of(new FreeRange(found.slab(), found.address(), length));
    }

    /** Returns true if a range of this length can be taken. */
    boolean has(long length) {
        return byLength.ceiling(new FreeRange(null, 0, length)) != null;
    }

    /** Adds a range, which must not overlap any free range. */
    void add(FreeRange range) {
        FreeRange merged = range;
        Map.Entry<Long, FreeRange> before = byAddress.lowerEntry(range.address());
        if (before != null && before.getValue().continuesWith(range)) {
            merged = join(before.getValue(), merged);
        }
        FreeRange after = byAddress.get(range.end());
        if (after != null && range.continuesWith(after)) {
            merged = join(merged, after);
        }
        insert(merged);
    }

    /** Returns true if exactly this range is free and cannot be merged with another free range. */
    boolean contains(FreeRange range) {
        return range.equals(byAddress.get(range.address()));
    }

    int count() {
        return byAddress.size();
    }

    void clear() {
        byAddress.clear();
        byLength.clear();
    }

    private FreeRange join(FreeRange lower, FreeRange upper) {
        remove(lower);
        remove(upper);
        return new FreeRange(lower.slab(), lower.address(), lower.length() + upper.length());
    }

    private void insert(FreeRange range) {
        byAddress.put(range.address(), range);
        byLength.add(range);
    }

    /** Removes a free range; this set must contain exactly this range. */
    void remove(FreeRange range) {
        byAddress.remove(range.address());
        byLength.remove(range);
    }
}
