package io.rocketbufs.rocketlog.client;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of a consumer. Immutable: each method returns a changed copy.
 *
 * @param start where to start in each partition that {@code partitions} does not contain
 * @param partitions the partitions to read, with the start in each; if empty, all partitions of the topic are read
 * @param gaps what to do when records that the consumer has not read yet no longer exist
 */
public record ConsumerOptions(ConsumerStart start, Map<Integer, ConsumerStart> partitions, GapPolicy gaps) {
    /**
     * Options to read all partitions, starting with the oldest record. A gap is a failure, except for topics in memory.
     */
    public static final ConsumerOptions DEFAULTS =
            new ConsumerOptions(ConsumerStart.EARLIEST, Map.of(), GapPolicy.BY_STORAGE);

    public ConsumerOptions {
        partitions = Collections.unmodifiableMap(new TreeMap<>(partitions));
    }

    /** Returns the default options with the given start in all partitions. */
    public static ConsumerOptions from(ConsumerStart start) {
        return DEFAULTS.withStart(start);
    }

    /** Returns a copy with a different start for all partitions without an individual start. */
    public ConsumerOptions withStart(ConsumerStart newStart) {
        return new ConsumerOptions(newStart, partitions, gaps);
    }

    /**
     * Returns a copy that also reads the given partition, from the given start. Once a partition has been added, only
     * added partitions are read.
     */
    public ConsumerOptions withPartition(int partition, ConsumerStart itsStart) {
        Map<Integer, ConsumerStart> more = new TreeMap<>(partitions);
        more.put(partition, itsStart);
        return new ConsumerOptions(start, more, gaps);
    }

    /** Returns a copy with a different policy for gaps. */
    public ConsumerOptions withGaps(GapPolicy newGaps) {
        return new ConsumerOptions(start, partitions, newGaps);
    }
}
