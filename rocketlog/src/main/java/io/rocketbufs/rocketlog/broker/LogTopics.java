package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.record.BatchLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The topics of a broker, whose logs are all open.
 *
 * <p><i>Thread-safety:</i> any thread; one thread at a time creates topics. <i>Ownership:</i> the logs belong to the
 * directory.
 */
final class LogTopics {
    private final LogDirectory directory;
    private final TopicFiles files;
    private final BatchLimits limits;
    private final boolean showsDurableOnly;
    private final int mostPartitions;
    private final Map<String, LogPartition> partitions = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<String, LogTopic> topics = new ConcurrentSkipListMap<>();
    private final AtomicInteger partitionCount = new AtomicInteger();

    /** Why the broker refuses a request. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final LogRefusal kind;

        RefusedException(LogRefusal kind, String message) {
            super(message);
            this.kind = kind;
        }

        LogRefusal kind() {
            return kind;
        }
    }

    /**
     * Creates an object without topics.
     *
     * @param showsDurableOnly whether consumers see only what survives a crash of the machine
     * @param mostPartitions maximum number of partitions of all topics together
     */
    LogTopics(LogDirectory directory, Path path, BatchLimits limits, boolean showsDurableOnly, int mostPartitions) {
        this.directory = directory;
        this.files = new TopicFiles(path);
        this.limits = limits;
        this.showsDurableOnly = showsDurableOnly;
        this.mostPartitions = mostPartitions;
    }

    /**
     * Opens the topics that exist, and recovers their logs.
     *
     * @throws LogException if a log is damaged
     */
    void open() {
        files.read().forEach(this::open);
    }

    private LogTopic open(String name, int count) {
        List<LogPartition> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            PartitionLog log = directory.partition(LogTopicName.partition(name, i));
            LogPartition partition = new LogPartition(directory, log, limits, showsDurableOnly);
            opened.add(partition);
            partitions.put(log.name(), partition);
        }
        partitionCount.addAndGet(count);
        LogTopic topic = new LogTopic(name, List.copyOf(opened));
        topics.put(name, topic);
        return topic;
    }

    /**
     * Creates a topic; blocks until the disk has stored it. Creating a topic that exists with the same number of
     * partitions changes nothing.
     *
     * @throws RefusedException with the reason and the remedy
     */
    synchronized void create(String name, int count) throws RefusedException {
        String problem = LogTopicName.problem(name);
        if (problem != null) {
            throw new RefusedException(LogRefusal.INVALID, problem);
        }
        if (count < 1) {
            throw new RefusedException(
                    LogRefusal.INVALID, "topic " + name + ": partitions=" + count + " must be at least 1");
        }
        LogTopic existing = topics.get(name);
        if (existing != null) {
            checkSame(existing, count);
            return;
        }
        if (count > mostPartitions - partitionCount.get()) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    "topic " + name + ": partitions=" + count + " exceeds rocketlog.limits.partitions=" + mostPartitions
                            + ", because other topics have " + partitionCount
                            + "; use fewer partitions, or raise the limit");
        }
        store(name, count);
    }

    private static void checkSame(LogTopic existing, int count) throws RefusedException {
        int found = existing.partitions().size();
        if (found != count) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists with partitions=" + found + ", not " + count
                            + "; the number of partitions cannot be changed");
        }
    }

    private void store(String name, int count) throws RefusedException {
        try {
            files.write(name, count);
        } catch (LogException e) {
            throw new RefusedException(LogRefusal.STORAGE, "topic " + name + ": " + e.getMessage());
        }
        try {
            open(name, count);
        } catch (LogException e) {
            files.delete(name); // logs that have been opened are empty, and are used when the topic is created again
            throw new RefusedException(LogRefusal.STORAGE, "topic " + name + ": " + e.getMessage());
        }
    }

    /** Returns the partition of a log, or null if its topic is being opened. */
    LogPartition partition(PartitionLog log) {
        return partitions.get(log.name());
    }

    /** Returns a topic, or null if there is none with this name. */
    LogTopic topic(String name) {
        return topics.get(name);
    }

    /** Returns the topics whose names are greater than the given one, in the order of their names. */
    Iterator<TopicEntry> after(String name) {
        return topics.tailMap(name, false).values().stream()
                .map(topic -> new TopicEntry(topic.name(), topic.partitions().size()))
                .iterator();
    }

    /** Returns all topics, in the order of their names. */
    Collection<LogTopic> all() {
        return topics.values();
    }

    /** Returns the number of topics. */
    int count() {
        return topics.size();
    }

    /** Returns the number of partitions of all topics. */
    int partitionCount() {
        return partitionCount.get();
    }

    /** Returns all partitions. */
    Stream<LogPartition> partitions() {
        return topics.values().stream().flatMap(topic -> topic.partitions().stream());
    }

    /** Prevents all further appends. Waits for appends that have begun. */
    synchronized void close() {
        partitions().forEach(each -> each.turn().close());
    }
}
