package io.rocketbufs.rocketlog.broker;

import java.util.List;

/**
 * A topic.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param name its name
 * @param partitions its partitions, by number
 * @param id differs for each creation of a topic with this name
 */
record LogTopic(String name, List<LogPartition> partitions, long id) {
    /** Returns the partition with a number, or null if there is none. */
    LogPartition partition(int number) {
        return number >= 0 && number < partitions.size() ? partitions.get(number) : null;
    }
}
