package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of a partition out of the broker's memory. The broker's code runs when a segment is opened, and not
 * when records are read.
 *
 * <pre>
 *   slot: readable position, ended?          segment: batches
 *      |  read when everything before it        |  read from the position on, checked, and
 *      |  has been consumed                     |  handed on as records
 *      +--- ended, and all consumed: the next segment is opened
 * </pre>
 *
 * <p>After a lost connection, the consumer connects again, and continues with the record after the last one that it has
 * handed on.
 *
 * <p><i>Thread-safety:</i> one thread at a time, which must not be a worker. <i>Ownership:</i> owns its connection and
 * its memory.
 */
public final class LogConsumer implements AutoCloseable {
    /** Offset of the oldest record. */
    public static final long EARLIEST = LogMessageLayout.OFFSET_EARLIEST;

    /** Offset of the next record. */
    public static final long LATEST = LogMessageLayout.OFFSET_LATEST;

    private static final Logger LOG = LoggerFactory.getLogger(LogConsumer.class);
    /** Place of the slot's word in the memory; the batches follow on the next page. */
    private static final int WORD = 0;

    private static final int BATCHES = 4096;

    private final RocketBufs rocketBufs;
    private final LogClientSettings settings;
    private final String topic;
    private final int partition;
    private final MemoryPool pool;
    private final Backoff backoff;
    private final FetchedBatches batches = new FetchedBatches();
    private Region memory;
    private ByteBuffer word;
    /** Null while there is no connection. */
    private ConsumerLink link;

    private long segmentBase;
    private long readable;
    private boolean isSegmentEnded;
    private long nextOffset;
    private long skippedCount;
    private long reconnectCount;
    private boolean isClosed;

    private LogConsumer(RocketBufs rocketBufs, LogClientSettings settings, String topic, int partition, long offset) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.topic = topic;
        this.partition = partition;
        this.nextOffset = offset;
        this.backoff = new Backoff(settings.consumer().pollDelayMs());
        this.pool = new MemoryPool(BATCHES + (long) settings.consumer().fetchLength());
        reserve(settings.consumer().fetchLength());
    }

    /**
     * Connects, and finds the offset.
     *
     * @param offset of the first record; or {@link #EARLIEST} or {@link #LATEST}. If retention has deleted it, the
     *     consumer begins with the oldest record.
     * @throws TransportException if the broker cannot be reached
     * @throws LogClientException if the broker does not have the topic, the partition or the offset, or does not answer
     */
    public static LogConsumer open(
            RocketBufs rocketBufs, LogClientSettings settings, String topic, int partition, long offset) {
        LogConsumer consumer = new LogConsumer(rocketBufs, settings, topic, partition, offset);
        try {
            consumer.connect();
            return consumer;
        } catch (RuntimeException | Error e) {
            consumer.close();
            throw e;
        }
    }

    private void reserve(int length) {
        if (memory != null) {
            memory.release();
        }
        memory = pool.allocate(BATCHES + (long) length);
        word = memory.window(WORD, Long.BYTES);
        batches.use(memory.window(BATCHES, length));
    }

    private void connect() {
        ConsumerLink made = ConsumerLink.connect(rocketBufs, settings);
        try {
            openSegment(made);
        } catch (RuntimeException | Error e) {
            made.close();
            throw e;
        }
        link = made;
    }

    private void openSegment(ConsumerLink from) {
        OpenedSegment opened = from.open(topic, partition, nextOffset);
        if (nextOffset >= 0 && opened.offset() > nextOffset) {
            skippedCount += opened.offset() - nextOffset;
            LOG.warn(
                    "{}: retention has deleted the records from {} to {}; continuing with the oldest one",
                    LogTopicName.partition(topic, partition),
                    nextOffset,
                    opened.offset() - 1);
        }
        nextOffset = opened.offset();
        segmentBase = opened.baseOffset();
        readable = opened.position();
        isSegmentEnded = false;
        batches.clear(opened.position());
    }

    /**
     * Hands on the records that can be read, and waits for the first one if there is none. Returns when all that one
     * read of the broker's memory has contained are handed on.
     *
     * @param timeoutMs how long to wait, in milliseconds; meanwhile, the consumer also connects again
     * @return the number of records handed on; 0 after the timeout
     * @throws LogClientException if a batch is damaged, the broker refuses, or the thread is interrupted
     * @throws TransportException if the transport does not allow another connection
     */
    public int poll(long timeoutMs, RecordCallback callback) {
        if (isClosed) {
            throw new IllegalStateException("the consumer is closed: topic=" + topic + ", partition=" + partition);
        }
        long startNs = System.nanoTime();
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            while (true) {
                int count = tryRead(callback);
                long leftNs = timeoutNs - (System.nanoTime() - startNs);
                if (count > 0) {
                    backoff.reset();
                }
                if (count > 0 || leftNs <= 0) {
                    return count;
                }
                pause(leftNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LogClientException(
                    LogClientException.Code.CLOSED, "topic " + topic + ": interrupted while reading");
        }
    }

    private void pause(long mostNs) throws InterruptedException {
        if (link == null) {
            TimeUnit.NANOSECONDS.sleep(Math.min(
                    mostNs, TimeUnit.MILLISECONDS.toNanos(settings.consumer().retryDelayMs())));
        } else if (!isSegmentEnded) {
            backoff.pause(mostNs);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Takes one step: connects, opens the next segment, or reads. Returns the number of records handed on. */
    private int tryRead(RecordCallback callback) throws InterruptedException {
        try {
            if (link == null) {
                connect();
                reconnectCount++;
            }
            if (!batches.hasMore() && !fetch()) {
                return 0;
            }
        } catch (TransportException e) {
            loseLink(e);
            return 0;
        }
        return handOn(callback);
    }

    private void loseLink(TransportException cause) {
        LOG.debug("{}: connecting again: {}", LogTopicName.partition(topic, partition), cause.getMessage());
        if (link != null) {
            ConsumerLink lost = link;
            link = null;
            lost.close();
        }
        batches.clear(0);
    }

    /** Reads the next bytes of the segment. Returns false if there is no whole batch yet. */
    private boolean fetch() throws InterruptedException {
        if (batches.position() == readable && isSegmentEnded) {
            openSegment(link);
        }
        if (batches.position() == readable) {
            link.readSlot(memory, WORD);
            isSegmentEnded = SlotLayout.isEnded(word.getLong(0));
            readable = Math.max(readable, SlotLayout.position(word.getLong(0)));
        }
        long available = readable - batches.position();
        if (available == 0) {
            return false;
        }
        int needed = batches.neededLength();
        if (needed > available) {
            throw damaged("the batch is longer than the log: length=" + needed + ", rest=" + available);
        }
        if (needed > batches.capacity()) {
            long position = batches.position();
            reserve(needed);
            batches.clear(position);
        }
        int length = (int) Math.min(available, batches.capacity());
        link.readSegment(batches.position(), length, memory, BATCHES);
        batches.filled(length);
        return batches.hasMore();
    }

    private int handOn(RecordCallback callback) {
        int count = 0;
        boolean goesOn = true;
        while (goesOn && batches.next(nextOffset)) {
            goesOn = batches.handTo(callback);
            nextOffset = batches.offset() + 1;
            batches.consumed();
            count++;
        }
        if (count == 0 && batches.problem() != null) {
            throw damaged(batches.problem());
        }
        return count;
    }

    private LogClientException damaged(String problem) {
        return new LogClientException(
                LogClientException.Code.DAMAGED,
                LogTopicName.partition(topic, partition) + ": the segment with base offset " + segmentBase
                        + " is damaged at position " + batches.position() + ": " + problem
                        + "; run `rocketlog verify` on the broker's directory, or continue with a later offset");
    }

    /** Returns the offset after the last record that was handed on, or that of the first one. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Returns the number of records that retention has deleted before they could be read. */
    public long skippedCount() {
        return skippedCount;
    }

    /** Returns how often the consumer has connected again. */
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
        memory.release();
        pool.close();
    }
}
