package io.rocketbufs.rbmq.bench;

import java.util.Map;
import java.util.TreeMap;

/**
 * Finds out what of one publisher's messages is missing, came twice, or came late.
 *
 * <p>The first message seen counts as the first: who comes late has lost nothing. A missing message that comes after
 * all is reordered, not lost; one that comes and was not missing is a duplicate.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class SequenceCheck {
    /** A larger jump is a damaged header. */
    private static final long MAX_GAP = 1L << 32;
    /** Ranges of missing messages that are remembered; beyond it, late ones are taken for duplicates. */
    private static final int MAX_RANGES = 10_000;

    /** Each range of missing messages: its first to the one after its last. */
    private final TreeMap<Long, Long> missing = new TreeMap<>();

    private long next;
    private long lost;
    private long duplicated;
    private long reordered;

    SequenceCheck(long first) {
        next = first;
    }

    /** Notes a message; false when its number cannot be right. */
    boolean accept(long sequence) {
        if (sequence == next) {
            next++;
            return true;
        }
        return sequence > next ? jump(sequence) : late(sequence);
    }

    long lost() {
        return lost;
    }

    long duplicated() {
        return duplicated;
    }

    long reordered() {
        return reordered;
    }

    private boolean jump(long sequence) {
        if (sequence - next > MAX_GAP) {
            return false;
        }
        lost += sequence - next;
        if (missing.size() < MAX_RANGES) {
            missing.put(next, sequence);
        }
        next = sequence + 1;
        return true;
    }

    private boolean late(long sequence) {
        Map.Entry<Long, Long> range = missing.floorEntry(sequence);
        if (range == null || range.getValue() <= sequence) {
            duplicated++;
            return true;
        }
        missing.remove(range.getKey());
        if (range.getKey() < sequence) {
            missing.put(range.getKey(), sequence);
        }
        if (sequence + 1 < range.getValue()) {
            missing.put(sequence + 1, range.getValue());
        }
        reordered++;
        lost--;
        return true;
    }
}
