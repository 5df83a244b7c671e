package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.PartitionLog;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketlog.record.BatchLimits;
import io.rocketbufs.text.PlainText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of a broker. The logs of all topics are open, except damaged logs.
 *
 * <p><i>Thread-safety:</i> any thread; only one thread at a time may create or delete topics. <i>Ownership:</i> the
 * logs belong to the {@link LogDirectory} and to the {@link MemoryTopics}.
 */
final class LogTopics {
    private static final Logger LOG = LoggerFactory.getLogger(LogTopics.class);
    private static final SecureRandom IDS = new SecureRandom();
    /** The smallest id of a new topic; smaller ids have special meanings. */
    private static final long FIRST_ID = 1 << 16;

    /** The exclusive upper bound of new ids, because a topic's file has room for 18 digits. */
    private static final long LAST_ID = 1_000_000_000_000_000_000L;

    private final LogDirectory directory;
    private final TopicFiles files;
    private final DeletedTopics deleted;
    private final BatchLimits limits;
    private final TopicLogOptions options;
    private final boolean isDurable;
    private final MemoryTopics memory;
    private final int mostPartitions;
    private final Map<String, LogPartition> partitions = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<String, LogTopic> topics = new ConcurrentSkipListMap<>();
    private final AtomicInteger partitionCount = new AtomicInteger();
    private final LogCounters counters = new LogCounters();
    /** Thrown when the broker refuses a request; contains the reason. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient RefusedRequest refusal;

        /** The parameters are those of {@link RefusedRequest}. */
        RefusedException(LogRefusal kind, String problem, String remedy) {
            this(new RefusedRequest(kind, problem, remedy));
        }

        RefusedException(RefusedRequest refusal) {
            super(refusal.text());
            this.refusal = refusal;
        }

        RefusedRequest refusal() {
            return refusal;
        }

        LogRefusal kind() {
            return refusal.kind();
        }
    }

    /**
     * Creates an empty set of topics.
     *
     * @param memory the logs of topics in memory
     * @param options the options of the logs
     * @param mostPartitions maximum number of partitions across all topics
     */
    LogTopics(
            LogDirectory directory,
            Path path,
            MemoryTopics memory,
            BatchLimits limits,
            LogOptions options,
            int mostPartitions) {
        this.directory = directory;
        this.files = new TopicFiles(path);
        this.deleted = new DeletedTopics(files);
        this.memory = memory;
        this.limits = limits;
        this.options = new TopicLogOptions(options);
        this.isDurable = options.flush() == LogOptions.FlushPolicy.ALWAYS;
        this.mostPartitions = mostPartitions;
    }

    /**
     * Opens the existing topics: recovers logs on the disk, and creates empty logs for topics in memory. Damaged files
     * affect only their own topic or partition, which then exists in a failed state.
     *
     * @throws LogException if no log can be opened
     * @throws UncheckedIOException if the names of the files cannot be read, or the logs in memory exceed the memory
     *     limit
     */
    void open() {
        deleted.finish();
        TopicFiles.Topics found = files.read();
        found.damaged().forEach(this::refuse);
        Map<String, TopicFiles.Content> existing = found.intact();
        Map<String, LogOptions> logs = new LinkedHashMap<>();
        existing.forEach((name, content) -> {
            for (int i = 0; !content.isInMemory() && i < content.partitions(); i++) {
                logs.put(LogTopicName.partition(name, i), options.of(content.options()));
            }
        });
        directory.open(logs);
        existing.forEach(this::open);
    }

    private void refuse(String name, String problem) {
        if (LogTopicName.problem(name) == null) {
            LOG.error("Topic {} cannot be used until the broker is restarted: {}", name, problem);
            topics.put(name, LogTopic.damaged(name, problem));
        } else {
            LOG.error("Ignoring a file: {}", PlainText.of(problem));
        }
    }

    private void open(String name, TopicFiles.Content content) {
        try {
            long firstOffset = MemoryTopics.firstOffset(name, content.createdMs(), System.currentTimeMillis());
            List<PartitionLog> logs = new ArrayList<>();
            openLogs(name, content, firstOffset, logs);
            publish(name, content, logs);
        } catch (RefusedException e) {
            throw new UncheckedIOException(new IOException(
                    files.path(name) + ": " + e.getMessage()
                            + ". To start the broker, change the setting back, or delete the file",
                    e));
        }
    }

    /**
     * Opens the logs of a topic. Adds each log to the list as soon as it is open, so that the caller receives the logs
     * that were opened before a failure.
     */
    private void openLogs(String name, TopicFiles.Content content, long firstOffset, List<PartitionLog> opened)
            throws RefusedException {
        if (content.isInMemory()) {
            long capacity = memory.capacity(name, content.capacity());
            opened.addAll(memory.create(name, content.partitions(), capacity, firstOffset));
            return;
        }
        for (int i = 0; i < content.partitions(); i++) {
            opened.add(directory.partition(LogTopicName.partition(name, i), options.of(content.options())));
        }
    }

    private void publish(String name, TopicFiles.Content content, List<PartitionLog> logs) {
        List<LogPartition> opened = new ArrayList<>();
        for (PartitionLog log : logs) {
            LogPartition partition = new LogPartition(directory, log, limits, isDurable, counters);
            opened.add(partition);
            partitions.put(log.name(), partition);
        }
        partitionCount.addAndGet(content.partitions());
        topics.put(
                name,
                new LogTopic(name, List.copyOf(opened), content.id(), content.capacity(), content.options(), null));
    }

    /**
     * Creates a topic, and blocks until the disk has stored it. Does nothing if the topic already exists with the same
     * number of partitions, the same capacity, and the requested options. After a refusal of kind
     * {@link LogRefusal#NOT_NOW} or {@link LogRefusal#LIMIT}, the request may succeed once a deletion has ended, see
     * {@link #afterDeletion}.
     *
     * @throws RefusedException if the request is refused; contains the reason and the remedy
     */
    synchronized void create(NewTopic wanted) throws RefusedException {
        String name = wanted.name();
        int count = wanted.partitions();
        String problem = LogTopicName.problem(name);
        if (problem != null) {
            throw new RefusedException(LogRefusal.INVALID, problem, "create the topic with another name");
        }
        if (count < 1) {
            throw new RefusedException(
                    LogRefusal.INVALID,
                    "topic " + name + ": partitions=" + count + " must be at least 1",
                    "create the topic with at least one partition");
        }
        boolean isOnDisk = wanted.capacity() == TopicMessageLayout.ON_DISK;
        LogTopic existing = topics.get(name);
        requireIntact(existing);
        if (existing != null) {
            checkSame(existing, wanted);
            return;
        }
        options.check(name, wanted.options(), !isOnDisk);
        long capacity = isOnDisk ? TopicMessageLayout.ON_DISK : memory.capacity(name, wanted.capacity());
        if (count > mostPartitions - partitionCount.get()) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    "topic " + name + ": partitions=" + count + " exceeds rocketlog.limits.partitions=" + mostPartitions
                            + ", because other topics have " + partitionCount,
                    "use fewer partitions, or raise the limit");
        }
        requireNoFiles(name);
        long id = IDS.nextLong(FIRST_ID, LAST_ID);
        store(name, new TopicFiles.Content(count, id, capacity, System.currentTimeMillis(), wanted.options()));
    }

    private static void requireIntact(LogTopic topic) throws RefusedException {
        if (topic != null && topic.refusal() != null) {
            throw new RefusedException(topic.refusal());
        }
    }

    private void requireNoFiles(String name) throws RefusedException {
        if (deleted.isUnderWay(name)) {
            throw new RefusedException(
                    LogRefusal.NOT_NOW,
                    "topic " + name + ": the files of a topic with this name are being removed",
                    "try again");
        }
        deleted.retry(name);
    }

    /**
     * Deletes a topic, and blocks until the disk has stored the deletion. When this method returns, the topic no longer
     * exists, even after a crash: its logs accept no further records, and consumers have lost their access. The caller
     * must then call {@link #remove} for each partition, and finally {@link #endDeletion}.
     *
     * @return the deleted topic; null if the topic had already been deleted, and this call has removed its remaining
     *     files
     * @throws RefusedException if the request is refused; contains the reason and the remedy
     */
    synchronized LogTopic delete(String name) throws RefusedException {
        LogTopic topic = topics.get(name);
        if (topic == null && deleted.retry(name)) {
            return null;
        }
        if (topic == null) {
            throw new RefusedException(
                    LogRefusal.NO_SUCH_TOPIC,
                    "topic " + PlainText.of(name) + " does not exist",
                    "list the topics with: rocketlog topics");
        }
        requireIntact(topic);
        deleted.begin(name);
        topics.remove(name);
        topic.partitions().forEach(LogPartition::delete);
        return topic;
    }

    /**
     * Closes the log of a partition whose topic has been deleted, and removes the partition's folder. May block on disk
     * I/O. No thread may be appending to the log.
     *
     * @throws LogException if a file could not be closed or removed
     */
    synchronized void remove(LogPartition partition) {
        partitions.remove(partition.name(), partition);
        partitionCount.decrementAndGet();
        close(partition.log());
        deleted.removeFolder(partition.name());
    }

    /** Ends the deletion of a topic, see {@link DeletedTopics#end}. May block on disk I/O. */
    synchronized void endDeletion(LogTopic topic, RuntimeException failure) {
        deleted.end(topic.name(), failure);
    }

    /** Runs a task once, after the next deletion ends, see {@link DeletedTopics#afterEnd}. */
    synchronized boolean afterDeletion(Runnable task) {
        return deleted.afterEnd(task);
    }

    private void close(PartitionLog log) {
        if (log.isInMemory()) {
            memory.remove(log);
        } else {
            directory.remove(log);
        }
    }

    private void checkSame(LogTopic existing, NewTopic wanted) throws RefusedException {
        int found = existing.partitions().size();
        int count = wanted.partitions();
        long requested = wanted.capacity();
        if (found != count) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists with partitions=" + found + ", not " + count
                            + ", and the number of partitions cannot be changed",
                    "use the existing topic, or another name");
        }
        boolean isDefault = existing.isInMemory() && requested == TopicMessageLayout.DEFAULT_CAPACITY;
        boolean isOnDisk = !existing.isInMemory() && requested == TopicMessageLayout.ON_DISK;
        if (!isDefault && !isOnDisk && (!existing.isInMemory() || !isCapacity(existing, requested))) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists "
                            + (existing.isInMemory()
                                    ? "in memory with capacity=" + existing.capacity() + " bytes for each partition"
                                    : "on the disk")
                            + ", and its storage and capacity cannot be changed",
                    "use the existing topic, or another name");
        }
        if (!wanted.options().or(existing.options()).equals(existing.options())) {
            throw new RefusedException(
                    LogRefusal.TOPIC_EXISTS,
                    "topic " + existing.name() + " exists with different options ("
                            + String.join(", ", wanted.options().names())
                            + "), which cannot be changed",
                    "use another name, or see its options with: rocketlog topics describe " + existing.name());
        }
    }

    private boolean isCapacity(LogTopic existing, long requested) throws RefusedException {
        return requested != TopicMessageLayout.ON_DISK
                && memory.capacity(existing.name(), requested) == existing.capacity();
    }

    /**
     * Creates the logs of a topic, and then writes its file. The order matters because a topic exists as soon as its
     * file exists: a stored topic for which the system has no memory would prevent the broker from starting again.
     */
    private void store(String name, TopicFiles.Content content) throws RefusedException {
        List<PartitionLog> logs = new ArrayList<>();
        boolean isStored = false;
        try {
            openLogs(name, content, 0, logs);
            files.write(name, content);
            isStored = true;
        } catch (LogException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE, "topic " + name + ": " + e.getMessage(), "then create the topic again");
        } finally {
            if (!isStored) {
                logs.forEach(this::discard);
            }
        }
        publish(name, content, logs);
    }

    /**
     * Closes an empty log whose topic was not created. The next topic with this name reuses or removes the log's files.
     */
    private void discard(PartitionLog unused) {
        unused.delete();
        close(unused);
    }

    /** Returns the partition to which a log belongs, or null while the topic is still being opened. */
    LogPartition partition(PartitionLog log) {
        return partitions.get(log.name());
    }

    /** Returns the topic with the given name, or null if there is none. */
    LogTopic topic(String name) {
        return topics.get(name);
    }

    /** Returns the state of a topic, without the state of its partitions. */
    TopicState state(LogTopic topic) {
        return new TopicState(
                topic.id(),
                topic.capacity(),
                topic.options(),
                topic.isInMemory() ? TopicState.IN_MEMORY : options.inForce(topic.options()),
                List.of());
    }

    /** Returns the topics whose names are greater than the given name, sorted by name. */
    Iterator<TopicEntry> after(String name) {
        return topics.tailMap(name, false).values().stream()
                .map(topic -> new TopicEntry(topic.name(), topic.partitions().size(), topic.capacity()))
                .iterator();
    }

    /** Returns all topics, sorted by name. */
    Collection<LogTopic> all() {
        return topics.values();
    }

    /** Returns the number of topics. */
    int count() {
        return topics.size();
    }

    /** Returns the number of topics whose files are damaged. */
    long failedCount() {
        return topics.values().stream().filter(each -> each.failure() != null).count();
    }

    /** Returns the number of partitions of all topics. */
    int partitionCount() {
        return partitionCount.get();
    }

    /** Returns all partitions. */
    Stream<LogPartition> partitions() {
        return topics.values().stream().flatMap(topic -> topic.partitions().stream());
    }

    /** Returns the totals over all partitions, including deleted partitions. */
    LogCounters counters() {
        return counters;
    }

    /** Returns the logs of topics in memory. */
    MemoryTopics memory() {
        return memory;
    }

    /**
     * Prevents all further appends, and waits for the appends in progress. No topic may be created during this call.
     */
    void close() {
        // Called without the lock, because an append may need the lock to complete.
        partitions().forEach(each -> each.turn().close());
    }
}
