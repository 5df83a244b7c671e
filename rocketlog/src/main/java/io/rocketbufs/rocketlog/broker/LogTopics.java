package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.text.PlainText;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of a broker, whose logs are all open.
 *
 * <p><i>Thread-safety:</i> any thread; one thread at a time creates and deletes topics. <i>Ownership:</i> the logs
 * belong to the directory.
 */
final class LogTopics {
    private static final Logger LOG = LoggerFactory.getLogger(LogTopics.class);
    private static final SecureRandom IDS = new SecureRandom();
    /** Smaller ids have a meaning of their own. */
    private static final long FIRST_ID = 1 << 16;

    private final LogDirectory directory;
    private final TopicFiles files;
    private final BatchLimits limits;
    private final LogOptions options;
    private final int mostPartitions;
    private final Map<String, LogPartition> partitions = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<String, LogTopic> topics = new ConcurrentSkipListMap<>();
    private final AtomicInteger partitionCount = new AtomicInteger();
    /** The topics that have been deleted, and still have files. */
    private final Map<String, Deletion> deletions = new ConcurrentHashMap<>();

    /**
     * A topic that has been deleted, and still has files.
     *
     * @param partitions number of its partitions
     * @param isUnderWay false if its files could not be deleted
     */
    private record Deletion(int partitions, boolean isUnderWay) {}

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
     * @param options the options of the logs
     * @param mostPartitions maximum number of partitions of all topics together
     */
    LogTopics(LogDirectory directory, Path path, BatchLimits limits, LogOptions options, int mostPartitions) {
        this.directory = directory;
        this.files = new TopicFiles(path);
        this.limits = limits;
        this.options = options;
        this.mostPartitions = mostPartitions;
    }

    /**
     * Opens the topics that exist, and recovers their logs.
     *
     * @throws LogException if a log is damaged
     */
    void open() {
        files.deletions().forEach((name, content) -> {
            try {
                files.finishDeletion(name, content.partitions());
                LOG.info("The files of topic {}, which was deleted, have been removed", name);
            } catch (LogException e) {
                deletions.put(name, new Deletion(content.partitions(), false));
                LOG.error("The files of topic {}, which was deleted, are still there: {}", name, e.getMessage());
            }
        });
        Map<String, TopicFiles.Content> existing = files.read();
        directory.open(existing.entrySet().stream()
                .flatMap(each -> IntStream.range(0, each.getValue().partitions())
                        .mapToObj(i -> LogTopicName.partition(each.getKey(), i)))
                .toList());
        existing.forEach(this::open);
    }

    private void open(String name, TopicFiles.Content content) {
        int count = content.partitions();
        List<LogPartition> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean showsDurableOnly = options.flush() == LogOptions.FlushPolicy.ALWAYS;
            PartitionLog log = directory.partition(LogTopicName.partition(name, i));
            LogPartition partition = new LogPartition(directory, log, limits, showsDurableOnly);
            opened.add(partition);
            partitions.put(log.name(), partition);
        }
        partitionCount.addAndGet(count);
        topics.put(name, new LogTopic(name, List.copyOf(opened), content.id()));
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
        requireNoFiles(name);
        store(name, new TopicFiles.Content(count, IDS.nextLong(FIRST_ID, Long.MAX_VALUE)));
    }

    private void requireNoFiles(String name) throws RefusedException {
        Deletion former = deletions.get(name);
        if (former != null && former.isUnderWay()) {
            throw new RefusedException(
                    LogRefusal.NOT_NOW, "topic " + name + ": a topic with this name is being deleted; try again");
        }
        if (former != null) {
            removeFiles(name, former.partitions());
        }
    }

    /**
     * Deletes a topic: when this returns, it no longer exists, even after a crash. Its logs accept nothing further, and
     * consumers lose their access. Blocks until the disk has stored this. The caller then calls {@link #remove}.
     *
     * @return null if it was deleted before and still had files, which this has removed
     * @throws RefusedException with the reason and the remedy
     */
    synchronized LogTopic delete(String name) throws RefusedException {
        LogTopic topic = topics.get(name);
        Deletion former = deletions.get(name);
        if (topic == null && former != null && !former.isUnderWay()) {
            removeFiles(name, former.partitions());
            return null;
        }
        if (topic == null) {
            throw new RefusedException(LogRefusal.NO_SUCH_TOPIC, "topic " + PlainText.of(name) + " does not exist");
        }
        try {
            files.beginDeletion(name);
        } catch (LogException e) {
            throw new RefusedException(LogRefusal.STORAGE, "topic " + name + " was not deleted: " + e.getMessage());
        }
        deletions.put(name, new Deletion(topic.partitions().size(), true));
        topics.remove(name);
        topic.partitions().forEach(LogPartition::delete);
        return topic;
    }

    /**
     * Closes the logs of a topic that has been deleted, and removes its files. Blocks until the disk has stored this.
     * No thread may append.
     *
     * @throws RefusedException if the files could not be removed; deleting or creating the topic again tries again
     */
    synchronized void remove(LogTopic topic) throws RefusedException {
        String name = topic.name();
        int count = topic.partitions().size();
        topic.partitions().forEach(each -> partitions.remove(each.name(), each));
        partitionCount.addAndGet(-count);
        deletions.put(name, new Deletion(count, false));
        try {
            topic.partitions().forEach(LogPartition::remove);
        } catch (LogException e) {
            throw stillThere(name, e);
        }
        removeFiles(name, count);
    }

    private void removeFiles(String name, int count) throws RefusedException {
        try {
            files.finishDeletion(name, count);
        } catch (LogException e) {
            throw stillThere(name, e);
        }
        deletions.remove(name);
    }

    private static RefusedException stillThere(String name, LogException cause) {
        return new RefusedException(
                LogRefusal.STORAGE,
                "topic " + name + " was deleted, but its files are still there: " + cause.getMessage()
                        + "; then delete the topic again");
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

    private void store(String name, TopicFiles.Content content) throws RefusedException {
        try {
            files.write(name, content);
        } catch (LogException e) {
            throw new RefusedException(LogRefusal.STORAGE, "topic " + name + ": " + e.getMessage());
        }
        try {
            open(name, content);
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

    /** Returns the state of a topic, without that of its partitions. */
    TopicState state(LogTopic topic) {
        Duration time = options.retentionTime();
        return new TopicState(
                topic.id(), time == null ? TopicState.FOREVER : time.toMillis(), options.retentionLength(), List.of());
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
