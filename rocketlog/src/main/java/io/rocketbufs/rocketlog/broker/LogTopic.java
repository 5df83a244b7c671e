package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import java.util.List;

/**
 * A topic of a broker.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param name name of the topic
 * @param partitions the topic's partitions, indexed by number
 * @param id identifies the topic; a topic that is recreated with the same name has a different id
 * @param capacity memory of each partition in bytes; {@link TopicMessageLayout#ON_DISK} if the topic is on the disk
 * @param options options that override those of the broker for this topic
 * @param failure why the topic's file is unusable, in which case the topic has no partitions; null if the file is
 *     intact
 */
record LogTopic(
        String name, List<LogPartition> partitions, long id, long capacity, LogTopicOptions options, String failure) {
    /** Returns a topic whose file is damaged. Its id identifies no topic. */
    static LogTopic damaged(String name, String failure) {
        return new LogTopic(
                name, List.of(), LogMessageLayout.ANY_TOPIC, TopicMessageLayout.ON_DISK, LogTopicOptions.NONE, failure);
    }

    /** Returns why the broker refuses all requests for the topic, or null if the topic is usable. */
    RefusedRequest refusal() {
        return failure == null
                ? null
                : new RefusedRequest(LogRefusal.STORAGE, "topic " + name + ": " + failure, "then restart the broker");
    }

    /** Returns the refusal of a request for a partition that does not exist. */
    RefusedRequest noPartition(LogRefusal kind, int number) {
        return new RefusedRequest(
                kind,
                "topic " + name + " has no partition " + number + ": partitions=" + partitions.size(),
                "use a number from 0 to " + (partitions.size() - 1));
    }

    /** Returns true if the records are kept in memory. */
    boolean isInMemory() {
        return capacity != TopicMessageLayout.ON_DISK;
    }

    /** Returns the partition with the given number, or null if there is none. */
    LogPartition partition(int number) {
        return number >= 0 && number < partitions.size() ? partitions.get(number) : null;
    }
}
