package io.rocketbufs.rbmq;

import java.util.Map;
import java.util.TreeMap;

/**
 * A set of addresses, kept as ranges that neither overlap nor touch.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class MemoryRanges {
    /** The ranges: the address of the first byte of each range, mapped to the address after its last byte. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    /** Adds the addresses from {@code begin} up to, but not including, {@code end}. */
    synchronized void add(long begin, long end) {
        long first = begin;
        long last = end;
        for (Map.Entry<Long, Long> range = ends.floorEntry(last);
                range != null && range.getValue() >= begin;
                range = ends.floorEntry(last)) {
            first = Math.min(first, range.getKey());
            last = Math.max(last, range.getValue());
            ends.remove(range.getKey());
        }
        ends.put(first, last);
    }

    /** Returns true if the set contains all addresses from {@code begin} up to, but not including, {@code end}. */
    synchronized boolean contains(long begin, long end) {
        Map.Entry<Long, Long> range = ends.floorEntry(begin);
        return range != null && range.getValue() >= end;
    }
}
