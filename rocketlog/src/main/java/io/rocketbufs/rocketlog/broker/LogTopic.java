package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
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
 * @param options those that the topic has of its own
 * @param failure why the topic cannot be used and has no partitions: its file is damaged; otherwise null
 */
record LogTopic(
        String name, List<LogPartition> partitions, long id, long capacity, LogTopicOptions options, String failure) {
    /** Returns a topic whose file is damaged. Its id stands for no topic. */
    static LogTopic damaged(String name, String failure) {
        return new LogTopic(
                name, List.of(), LogMessageLayout.ANY_TOPIC, TopicMessageLayout.ON_DISK, LogTopicOptions.NONE, failure);
    }

    /** Returns why all requests for the topic are refused, or null if it can be used. */
    String refusal() {
        return failure == null ? null : "topic " + name + ": " + failure;
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
