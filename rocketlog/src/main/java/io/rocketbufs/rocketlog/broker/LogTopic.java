package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
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
 * @param failure why the topic is damaged, cannot be used and has no partitions; null if it is not damaged
 */
record LogTopic(String name, List<LogPartition> partitions, long id, long capacity, String failure) {
    /** Returns a topic whose file is damaged. Its id identifies no topic. */
    static LogTopic damaged(String name, String failure) {
        return new LogTopic(name, List.of(), LogMessageLayout.ANY_TOPIC, TopicMessageLayout.ON_DISK, failure);
    }

    /** Returns true if the records are kept in memory. */
    boolean isInMemory() {
        return capacity != TopicMessageLayout.ON_DISK;
    }

    /** Returns the partition with a number, or null if there is none. */
    LogPartition partition(int number) {
        return number >= 0 && number < partitions.size() ? partitions.get(number) : null;
    }
}
