package io.rocketbufs.rbmq.bench;

import java.util.Map;
import java.util.TreeMap;

/**
 * A detector of lost, duplicated and reordered messages from one publisher.
 *
 * <p>Checking starts with the first message received, so messages sent before a subscriber joined do not count as lost.
 * A missing message that arrives later counts as reordered, not lost. An earlier message that was not missing counts as
 * a duplicate.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class SequenceCheck {
    /** Size of a gap above which the header is considered corrupted. */
    private static final long MAX_GAP = 1L << 32;
    /** Maximum number of recorded ranges of missing messages. Above this number, late messages count as duplicates. */
    private static final int MAX_RANGES = 10_000;

    /**
     * Ranges of missing messages. The key is the first number of a range, and the value is the number after the last.
     */
    private final TreeMap<Long, Long> missing = new TreeMap<>();

    private long next;
    private long lost;
    private long duplicated;
    private long reordered;

    SequenceCheck(long first) {
        next = first;
    }

    /** Records a message; returns false if its number cannot be valid. */
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
