package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import java.util.List;

/**
 * A topic.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param name its name
 * @param partitions its partitions, by number
 * @param id differs for each creation of a topic with this name
 * @param capacity memory of each partition in bytes; {@link TopicMessageLayout#ON_DISK} if the topic is on the disk
 */
record LogTopic(String name, List<LogPartition> partitions, long id, long capacity) {
    /** Returns true if the records are kept in memory. */
    boolean isInMemory() {
        return capacity != TopicMessageLayout.ON_DISK;
    }

    /** Returns the partition with a number, or null if there is none. */
    LogPartition partition(int number) {
        return number >= 0 && number < partitions.size() ? partitions.get(number) : null;
    }
}
