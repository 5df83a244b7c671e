package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.record.BatchLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The topics of a broker, whose logs are all open.
 *
 * <p><i>Thread-safety:</i> any thread; one thread at a time creates topics. <i>Ownership:</i> the logs belong to the
 * directory and to the memory topics.
 */
final class LogTopics {
    private final LogDirectory directory;
    private final TopicFiles files;
    private final BatchLimits limits;
    private final boolean isDurable;
    private final MemoryTopics memory;
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
     * @param memory the logs of topics in memory
     * @param log the options of logs
     * @param mostPartitions maximum number of partitions of all topics together
     */
    LogTopics(
            LogDirectory directory,
            Path path,
            MemoryTopics memory,
            BatchLimits limits,
            LogOptions log,
            int mostPartitions) {
        this.directory = directory;
        this.files = new TopicFiles(path);
        this.memory = memory;
        this.limits = limits;
        this.isDurable = log.flush() == LogOptions.FlushPolicy.ALWAYS;
        this.mostPartitions = mostPartitions;
    }

    /**
     * Opens the topics that exist: recovers their logs, or begins empty ones in memory.
     *
     * @throws LogException if a log is damaged
     * @throws UncheckedIOException if the file of a topic cannot be read, or its logs do not fit into the memory
     */
    void open() {
        files.read().forEach((name, content) -> {
            try {
                long firstOffset = MemoryTopics.firstOffset(name, content.createdMs(), System.currentTimeMillis());
                publish(name, content, logs(name, content, firstOffset));
            } catch (RefusedException e) {
                throw new UncheckedIOException(new IOException(
                        files.path(name) + ": " + e.getMessage()
                                + ". To start the broker, change the setting back, or delete the file",
                        e));
            }
        });
    }

    private List<PartitionLog> logs(String name, TopicFiles.Content content, long firstOffset) throws RefusedException {
        if (content.isInMemory()) {
            long capacity = memory.capacity(name, content.capacity());
            return memory.create(name, content.partitions(), capacity, firstOffset);
        }
        return IntStream.range(0, content.partitions())
                .mapToObj(i -> directory.partition(LogTopicName.partition(name, i)))
                .toList();
    }

    private void publish(String name, TopicFiles.Content content, List<PartitionLog> logs) {
        List<LogPartition> opened = new ArrayList<>();
        for (PartitionLog log : logs) {
            LogPartition partition = new LogPartition(directory, log, limits, isDurable);
            opened.add(partition);
            partitions.put(log.name(), partition);
        }
        partitionCount.addAndGet(content.partitions());
        topics.put(name, new LogTopic(name, List.copyOf(opened), content.capacity()));
    }

    /**
     * Creates a topic; blocks until the disk has stored it. Creating a topic that exists with the same number of
     * partitions and the same capacity changes nothing.
     *
     * @param requested {@link LogMessageLayout#ON_DISK}, {@link LogMessageLayout#DEFAULT_CAPACITY}, or the memory of
     *     each partition in bytes
     * @throws RefusedException with the reason and the remedy
     */
    synchronized void create(String name, int count, long requested) throws RefusedException {
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
            checkSame(existing, count, requested);
            return;
        }
        long capacity = requested == LogMessageLayout.ON_DISK ? requested : memory.capacity(name, requested);
        if (count > mostPartitions - partitionCount.get()) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    "topic " + name + ": partitions=" + count + " exceeds rocketlog.limits.partitions=" + mostPartitions
                            + ", because other topics have " + partitionCount
                            + "; use fewer partitions, or raise the limit");
        }
        store(name, new TopicFiles.Content(count, capacity, System.currentTimeMillis()));
    }

    private void checkSame(LogTopic existing, int count, long requested) throws RefusedException {
        int found = existing.partitions().size();
        if (found != count) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists with partitions=" + found + ", not " + count
                            + "; the number of partitions cannot be changed");
        }
        boolean isDefault = existing.isInMemory() && requested == LogMessageLayout.DEFAULT_CAPACITY;
        boolean isOnDisk = !existing.isInMemory() && requested == LogMessageLayout.ON_DISK;
        if (!isDefault && !isOnDisk && (!existing.isInMemory() || !isCapacity(existing, requested))) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists "
                            + (existing.isInMemory()
                                    ? "in memory with capacity=" + existing.capacity() + " bytes for each partition"
                                    : "on the disk")
                            + "; its storage and capacity cannot be changed");
        }
    }

    private boolean isCapacity(LogTopic existing, long requested) throws RefusedException {
        return requested != LogMessageLayout.ON_DISK
                && memory.capacity(existing.name(), requested) == existing.capacity();
    }

    /**
     * The file is written last, because a topic exists if its file does: a topic whose memory the system refuses would
     * prevent each later start.
     */
    private void store(String name, TopicFiles.Content content) throws RefusedException {
        List<PartitionLog> logs = null;
        boolean isStored = false;
        try {
            logs = logs(name, content, 0);
            files.write(name, content);
            isStored = true;
        } catch (LogException e) { // logs on the disk are empty, and are used when the topic is created again
            throw new RefusedException(LogRefusal.STORAGE, "topic " + name + ": " + e.getMessage());
        } finally {
            if (!isStored && logs != null && content.isInMemory()) {
                memory.remove(logs, content.capacity());
            }
        }
        publish(name, content, logs);
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
                .map(topic -> new TopicEntry(topic.name(), topic.partitions().size(), topic.capacity()))
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

    /** Returns the logs of topics in memory. */
    MemoryTopics memory() {
        return memory;
    }

    /** Prevents all further appends. Waits for appends that have begun. */
    synchronized void close() {
        partitions().forEach(each -> each.turn().close());
    }
}
