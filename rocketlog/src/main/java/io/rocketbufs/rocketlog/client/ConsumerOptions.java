package io.rocketbufs.rocketlog.client;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of a consumer. Immutable: each method returns a changed copy.
 *
 * @param start where each partition begins, unless {@code partitions} says otherwise
 * @param partitions the partitions to read, and where each begins; all partitions of the topic if empty
 * @param gaps what to do when records no longer exist that the consumer has not read
 */
public record ConsumerOptions(ConsumerStart start, Map<Integer, ConsumerStart> partitions, GapPolicy gaps) {
    /** All partitions from the oldest record on; a gap is a failure, except for topics in memory. */
    public static final ConsumerOptions DEFAULTS =
            new ConsumerOptions(ConsumerStart.EARLIEST, Map.of(), GapPolicy.BY_STORAGE);

    public ConsumerOptions {
        partitions = Collections.unmodifiableMap(new TreeMap<>(partitions));
    }

    /** Returns options with which all partitions begin at the given place. */
    public static ConsumerOptions from(ConsumerStart start) {
        return DEFAULTS.withStart(start);
    }

    /** Returns a copy with another start for all partitions. */
    public ConsumerOptions withStart(ConsumerStart newStart) {
        return new ConsumerOptions(newStart, partitions, gaps);
    }

    /** Returns a copy that reads the given partition, in addition to those added before, and no others. */
    public ConsumerOptions withPartition(int partition, ConsumerStart itsStart) {
        Map<Integer, ConsumerStart> more = new TreeMap<>(partitions);
        more.put(partition, itsStart);
        return new ConsumerOptions(start, more, gaps);
    }

    /** Returns a copy with another policy for gaps. */
    public ConsumerOptions withGaps(GapPolicy newGaps) {
        return new ConsumerOptions(start, partitions, newGaps);
    }
}
