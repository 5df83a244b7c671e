package io.rocketbufs.rocketlog.protocol;

import java.util.List;

/**
 * A snapshot of a topic's state.
 *
 * @param id topic id, which identifies one creation of a topic with this name
 * @param capacity memory of each partition in bytes, or {@link TopicMessageLayout#ON_DISK} if the topic is on the disk
 * @param ownOptions the topic's own options
 * @param options the options in force, that is, the topic's own options and, where unset, the broker's;
 *     {@link #IN_MEMORY} if the topic is in memory
 * @param partitions the partitions in the order of their numbers
 */
public record TopicState(
        long id, long capacity, LogTopicOptions ownOptions, LogTopicOptions options, List<Partition> partitions) {
    /** The options of a topic in memory, to which retention and segment options do not apply. */
    public static final LogTopicOptions IN_MEMORY =
            new LogTopicOptions(LogTopicOptions.UNLIMITED, LogTopicOptions.UNLIMITED, LogTopicOptions.UNSET);

    /** Returns true if the records are kept in memory. Only the capacity then limits their number. */
    public boolean isInMemory() {
        return capacity != TopicMessageLayout.ON_DISK;
    }

    /**
     * The state of a partition.
     *
     * @param firstOffset offset of the oldest record
     * @param nextOffset the offset that the next record will have
     * @param durableOffset offset before which all records survive a crash of the machine; 0 in memory
     * @param length number of bytes in all batches
     * @param segments number of segments
     * @param leaseHolder name of the client that writes directly into the log; empty if there is none
     * @param failure why the partition accepts no further records; empty if it accepts them
     */
    public record Partition(
            long firstOffset,
            long nextOffset,
            long durableOffset,
            long length,
            int segments,
            String leaseHolder,
            String failure) {}
}
