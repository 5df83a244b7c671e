package io.rocketbufs.rocketlog.protocol;

import java.util.List;

/**
 * The state of a topic at one moment.
 *
 * @param id differs for each creation of a topic with this name
 * @param capacity memory of each partition in bytes; {@link TopicMessageLayout#ON_DISK} if the topic is not in memory
 * @param ownOptions the options that the topic has of its own
 * @param options the options in force: those, and the broker's; {@link #IN_MEMORY} if the topic is in memory
 * @param partitions the partitions, by number
 */
public record TopicState(
        long id, long capacity, LogTopicOptions ownOptions, LogTopicOptions options, List<Partition> partitions) {
    /** The options of a topic in memory, which are not configured. */
    public static final LogTopicOptions IN_MEMORY =
            new LogTopicOptions(LogTopicOptions.UNLIMITED, LogTopicOptions.UNLIMITED, LogTopicOptions.UNSET);

    /** Returns true if the records are kept in memory, where only the capacity limits their number. */
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
     * @param leaseHolder client that writes into the log directly; empty if there is none
     * @param failure why the partition accepts nothing further; empty if it accepts records
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
