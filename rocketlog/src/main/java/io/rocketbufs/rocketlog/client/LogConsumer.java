package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.WaitMessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer, which reads the records of a topic's partitions from the broker's memory. The broker's code runs when a
 * segment is opened, but not when the consumer reads records or polls for new ones. A consumer that has found no
 * records for rocketlog.consumer.poll-time stops polling until the broker notifies it of new records.
 *
 * <pre>
 *   slots: a word for each open segment       segments: batches
 *      |  how far it can be read; ended?         |  read from the current position, checked, and
 *      |  one read for all partitions            |  delivered as records
 *      +--- ended, and all delivered: the partition's next segment is opened
 * </pre>
 *
 * <p>After losing its connection, the consumer reconnects and continues after the last delivered record.
 *
 * <p>Unless rocketlog.flush is {@code always}, a consumer also sees records that would not survive a crash of the
 * broker's machine. After such a crash, different records may have the same offsets.
 *
 * <p><i>Thread-safety:</i> one thread at a time, which must not be a worker. <i>Ownership:</i> owns its connection and
 * memory.
 *
 * <p><i>Source:</i> KafkaDirect, section 4.4.2, but with a single read for the slots of all partitions.
 */
public final class LogConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogConsumer.class);

    private final RocketBufs rocketBufs;
    private final LogClientSettings settings;
    private final TopicIdentity topic;
    private final ConsumerOptions options;
    private final MemoryPool pool;
    private final Region slots;
    private final ByteBuffer words;
    private final Backoff backoff;
    private final long retryDelayNs;
    /**
     * The readers in ascending order of partitions. This is an array because iterating over a list would allocate an
     * object for each poll.
     */
    private PartitionReader[] readers = {};
    /** The connection; null while the consumer is disconnected. */
    private ConsumerLink link;
    /**
     * Index of the reader that last delivered records. The next step starts with the reader after it, so that no reader
     * starves.
     */
    private int first;

    /** When the connection was last lost or an attempt to connect last failed, as {@code System.nanoTime()}. */
    private long lostNs;

    /** Why the consumer is disconnected; null while it is connected. */
    private RuntimeException problem;

    private long reconnectCount;
    private boolean isClosed;

    private LogConsumer(RocketBufs rocketBufs, LogClientSettings settings, String topic, ConsumerOptions options) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.topic = new TopicIdentity(topic);
        this.options = options;
        this.backoff = new Backoff(
                settings.consumer().pollTimeMs(), settings.consumer().pollDelayMs(), System.nanoTime());
        this.retryDelayNs = TimeUnit.MILLISECONDS.toNanos(settings.consumer().retryDelayMs());
        this.pool = new MemoryPool(settings.consumer().fetchLength());
        this.slots = pool.allocate(SlotLayout.LENGTH);
        this.words = slots.window(0, SlotLayout.LENGTH);
    }

    /**
     * Connects to the broker, and finds the first record to read in each partition.
     *
     * @throws TransportException if the broker cannot be reached
     * @throws LogClientException if the topic, a partition, or an offset does not exist, or if the broker refuses the
     *     request or does not respond in time. Also thrown if retention has deleted the requested offset and the
     *     options do not skip gaps
     */
    public static LogConsumer open(
            RocketBufs rocketBufs, LogClientSettings settings, String topic, ConsumerOptions options) {
        LogConsumer consumer = new LogConsumer(rocketBufs, settings, topic, options);
        try {
            consumer.begin();
            return consumer;
        } catch (RuntimeException | Error e) {
            consumer.close();
            throw e;
        }
    }

    private void begin() {
        link = ConsumerLink.connect(rocketBufs, settings);
        options.partitions().forEach(this::add);
        if (readers.length == 0) {
            int count = add(0, options.start()).partitions();
            for (int i = 1; i < count; i++) {
                add(i, options.start());
            }
        }
    }

    private PartitionReader add(int partition, ConsumerStart start) {
        PartitionReader reader = new PartitionReader(
                topic,
                partition,
                start,
                options.gaps(),
                pool,
                settings.consumer().fetchLength());
        reader.open(link);
        readers = Arrays.copyOf(readers, readers.length + 1);
        readers[readers.length - 1] = reader;
        return reader;
    }

    /**
     * Passes the readable records to the callback. If no records are readable, waits for the first record. Returns when
     * the records from one read of each partition have been delivered, or when the callback ends the poll.
     *
     * <p>If the broker does not respond, this method may return later than the timeout: when the connection is
     * considered lost, or when rocketlog.client.connect-timeout has passed.
     *
     * @param timeoutMs how long to wait for a record, in milliseconds. During this time, the consumer also reconnects
     *     if necessary. With 0, the consumer polls the broker's memory once, without waiting for a notification.
     * @return the number of records delivered; 0 after the timeout
     * @throws LogClientException if a batch is damaged, if the next record no longer exists and the options do not skip
     *     gaps, if the broker refuses a request, or if the thread is interrupted. The next poll continues where this
     *     one ended.
     */
    public int poll(long timeoutMs, RecordCallback callback) {
        if (isClosed) {
            throw new IllegalStateException("the consumer is closed: topic=" + topic);
        }
        long startNs = System.nanoTime();
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            while (true) {
                int count = timeoutMs > 0 && isWaiting() ? 0 : step(callback);
                long nowNs = System.nanoTime();
                if (count > 0) {
                    backoff.reset(nowNs);
                }
                if (count > 0 || nowNs - startNs >= timeoutNs) {
                    return count;
                }
                pause(timeoutNs - (nowNs - startNs), nowNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LogClientException(
                    LogClientException.Code.CLOSED, "topic " + topic + ": interrupted while reading");
        }
    }

    /** Returns true while the consumer waits for a notification from the broker. */
    private boolean isWaiting() {
        return link != null && link.isWaiting();
    }

    /** Reads once from each partition, and delivers the records. Returns the number of records delivered. */
    private int step(RecordCallback callback) throws InterruptedException {
        try {
            fetch();
        } catch (TransportException e) {
            loseLink(e);
        } catch (LogClientException e) {
            if (e.code() != LogClientException.Code.TIMEOUT) {
                throw e;
            }
            loseLink(e);
        }
        return link == null ? 0 : handOn(callback);
    }

    private void fetch() throws InterruptedException {
        if (link == null && !connectAgain()) {
            return;
        }
        if (link.takeReady()) {
            backoff.reset(System.nanoTime()); // so that another WAIT does not follow immediately
        }
        for (PartitionReader reader : readers) {
            reader.tryOpen(link);
        }
        look();
        for (PartitionReader reader : readers) {
            reader.post(link);
        }
        link.awaitReads(); // once, for all partitions
        for (PartitionReader reader : readers) {
            reader.arrived();
        }
        if (link.isWaiting() && !isQuiet()) { // a poll with timeout 0 found work before READY arrived
            link.resume();
        }
    }

    /** Returns true if no partition can make progress until the broker has new records. */
    private boolean isQuiet() {
        for (PartitionReader reader : readers) {
            if (reader.canContinue() || !reader.canWait()) {
                return false;
            }
        }
        return true;
    }

    private boolean connectAgain() {
        if (System.nanoTime() - lostNs < retryDelayNs) {
            return false;
        }
        link = ConsumerLink.connect(rocketBufs, settings);
        problem = null;
        reconnectCount++;
        LOG.info("Topic {}: reconnected", topic);
        return true;
    }

    private int handOn(RecordCallback callback) {
        int count = 0;
        for (int i = 0; i < readers.length; i++) {
            first = (first + 1) % readers.length;
            int result = readers[first].handOn(callback);
            if (result < 0) {
                return count - 1 - result;
            }
            count += result;
        }
        return count;
    }

    /** Reads the words of all partitions without unread records, in a single read. */
    private void look() throws InterruptedException {
        int lowest = SlotLayout.COUNT;
        int highest = -1;
        for (PartitionReader reader : readers) {
            if (reader.needsLook()) {
                lowest = Math.min(lowest, reader.slot());
                highest = Math.max(highest, reader.slot());
            }
        }
        if (highest < 0) {
            return;
        }
        link.readSlots(lowest, highest - lowest + 1, slots);
        for (PartitionReader reader : readers) {
            if (reader.needsLook()) {
                reader.onWord(words.getLong(SlotLayout.place(reader.slot() - lowest)));
            }
        }
    }

    private void pause(long mostNs, long nowNs) throws InterruptedException {
        if (link == null) {
            Backoff.sleep(Math.min(mostNs, Math.max(0, retryDelayNs - (nowNs - lostNs))));
            return;
        }
        for (PartitionReader reader : readers) {
            if (reader.canContinue()) {
                return;
            }
        }
        try {
            boolean isWaiting = link.isWaiting() || askForReady(nowNs);
            link.await(isWaiting ? mostNs : Math.min(mostNs, backoff.delayNs(nowNs)));
        } catch (TransportException e) {
            loseLink(e);
        }
    }

    /**
     * After a long idle period, asks the broker to notify the consumer of new records. Returns false if the consumer
     * must continue to poll.
     */
    private boolean askForReady(long nowNs) {
        if (!backoff.isLong(nowNs)) {
            return false;
        }
        ByteBuffer wait = WaitMessageLayout.begin(readers.length);
        for (PartitionReader reader : readers) {
            if (!reader.canWait()) {
                return false;
            }
            WaitMessageLayout.add(wait, reader.slot(), reader.nextOffset());
        }
        link.askForReady(wait.flip());
        return true;
    }

    private void loseLink(RuntimeException cause) {
        lostNs = System.nanoTime();
        problem = cause;
        if (link == null) {
            LOG.debug("Topic {}: the broker cannot be reached: {}", topic, cause.getMessage());
        } else {
            LOG.warn("Topic {}: connection lost: {}; reconnecting", topic, cause.getMessage());
            ConsumerLink lost = link;
            link = null;
            lost.close();
        }
        Arrays.stream(readers).forEach(PartitionReader::forget);
    }

    /** Returns the partitions that the consumer reads, in ascending order. */
    public List<Integer> partitions() {
        return Arrays.stream(readers).map(PartitionReader::partition).toList();
    }

    /**
     * Returns the offset after the last delivered record of a partition, or the offset of the first record to be read
     * if no record has been delivered.
     *
     * @throws IllegalArgumentException if the consumer does not read this partition
     */
    public long nextOffset(int partition) {
        return reader(partition).nextOffset();
    }

    /**
     * Returns the offset at which a partition ended when the consumer was opened.
     *
     * @throws IllegalArgumentException if the consumer does not read this partition
     */
    public long endOffset(int partition) {
        return reader(partition).firstEnd();
    }

    private PartitionReader reader(int partition) {
        return Arrays.stream(readers)
                .filter(reader -> reader.partition() == partition)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the consumer does not read this partition: topic=" + topic + ", partition=" + partition));
    }

    /**
     * Returns the number of records that the consumer could not read, because retention deleted them or newer records
     * in memory overwrote them. Does not count records in memory that were lost when the broker was restarted.
     */
    public long skippedCount() {
        return Arrays.stream(readers).mapToLong(PartitionReader::skippedCount).sum();
    }

    /**
     * Returns true if the transport or this process executes all reads of the broker's memory. The value may become
     * true only a short time after the consumer was opened. If false, RocketBufs responds to reads in the broker's
     * process, which takes processor time there but runs none of the broker's own code.
     */
    public boolean readsDirectly() {
        return link != null && link.readsDirectly() && Arrays.stream(readers).allMatch(PartitionReader::readsDirectly);
    }

    /** Returns why the consumer is disconnected, or null while it is connected. Polls try to reconnect. */
    public RuntimeException connectionProblem() {
        return problem;
    }

    /** Returns the number of times that the consumer has reconnected. */
    public long reconnectCount() {
        return reconnectCount;
    }

    /** Closes the connection, and frees the memory. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (link != null) {
            link.close();
        }
        Arrays.stream(readers).forEach(PartitionReader::release);
        slots.release();
        pool.close();
    }
}
