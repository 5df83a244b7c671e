package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer of records for the partitions of one topic. It collects records in batches without waiting, keeps them
 * until the broker has acknowledged them, and reconnects. The broker recognizes batches that are sent again, so each
 * acknowledged record is in the log once, and the records of a partition stay in order.
 *
 * <p>If the broker refuses records permanently, or has not acknowledged a record in time, the producer fails: it
 * accepts nothing further, because later records must not overtake lost ones.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its connection and a thread for retries; the RocketBufs
 * belongs to the caller.
 */
public final class LogProducer implements AutoCloseable {
    /** Result of {@link #send}: the memory is full of unacknowledged records; try again when results have arrived. */
    public static final long NO_SPACE = -1;

    /** Result of {@link #send}: the producer has failed, see {@link #failure}, or is closed. */
    public static final long CLOSED = -2;

    private static final Logger LOG = LoggerFactory.getLogger(LogProducer.class);
    /** Bytes of a record in addition to key and value, at most. */
    private static final int RECORD_OVERHEAD = 40;

    private static final long CHECK_MS = 1000;

    private final RocketBufs rocketBufs;
    private final LogClientSettings settings;
    private final LogClientSettings.Producer options;
    private final TopicIdentity topic;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final ScheduledExecutorService timer;
    private final ProducerLink.Owner events = new Events();
    private final BatchMemory memory;
    private final CompletedBatches completed;
    private final PartitionQueues queues;
    private int longestBatch;
    private ProducerLink link;
    private boolean isChecking;
    private boolean isClosing;
    private boolean hasLost;
    private boolean hasUsedPrivate;
    private long unacknowledged;
    private long reconnectCount;
    private LogClientException failure;
    private String lastProblem = "the broker has not answered";

    private LogProducer(RocketBufs rocketBufs, LogClientSettings settings, String topic, ProducerCallback callback) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.options = settings.producer();
        this.topic = new TopicIdentity(topic);
        this.memory = new BatchMemory(
                options.batchLength(), options.memory(), options.mode() != LogClientSettings.ProduceMode.PRIVATE);
        this.completed = new CompletedBatches(callback, this::release);
        int mostInFlight = options.mode() == LogClientSettings.ProduceMode.SHARED
                ? Math.min(options.maxInFlight(), AppendResult.MOST_IN_FLIGHT_SHARED)
                : options.maxInFlight();
        this.queues = new PartitionQueues(options.acks() == Acks.LEADER, mostInFlight, completed);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rocketlog-producer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Connects to the broker and announces the producer. Blocks, so no worker may call this.
     *
     * @throws TransportException if the broker cannot be reached, or refuses the connection
     * @throws LogClientException if the topic does not exist, or the broker does not answer in time
     */
    public static LogProducer open(
            RocketBufs rocketBufs, LogClientSettings settings, String topic, ProducerCallback callback) {
        LogProducer producer = new LogProducer(rocketBufs, settings, topic, callback);
        try {
            producer.connect();
            LogConnection.await(producer.opened, settings);
            return producer;
        } catch (RuntimeException | Error e) {
            producer.abandon();
            throw e;
        }
    }

    private void connect() {
        ProducerLink next = new ProducerLink(rocketBufs, options, queues.producerId(), events);
        synchronized (this) {
            if (hasEnded()) {
                next.release();
                return;
            }
            link = next;
        }
        next.open(rocketBufs, settings, topic); // without the lock, because it may resolve a name
    }

    private boolean hasEnded() {
        return failure != null || isClosing && unacknowledged == 0;
    }

    /** Returns the number of the topic's partitions. */
    public synchronized int partitions() {
        return queues.count();
    }

    /**
     * Adds a record with the current time. Its bytes are copied. Does not block.
     *
     * @param key may be null
     * @param value may be null
     * @return the record's number in its partition, counted from 0 by this producer; or {@link #NO_SPACE} or
     *     {@link #CLOSED}
     * @throws IllegalArgumentException if there is no such partition, or the record is longer than a batch may be
     */
    public long send(int partition, ByteBuffer key, ByteBuffer value) {
        return send(partition, key, value, null);
    }

    /**
     * Adds a record like {@link #send}, and waits for space. No worker may call this.
     *
     * @return a future that completes with the record's offset or {@link ProducerCallback#UNKNOWN_OFFSET}, or fails
     *     with a {@link LogClientException}
     */
    public CompletableFuture<Long> append(int partition, ByteBuffer key, ByteBuffer value) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        long number = send(partition, key, value, offset);
        while (number == NO_SPACE) {
            awaitSpace();
            number = send(partition, key, value, offset);
        }
        if (number == CLOSED) {
            offset.completeExceptionally(failure());
        }
        return offset;
    }

    private long send(int partition, ByteBuffer key, ByteBuffer value, CompletableFuture<Long> offset) {
        long number;
        synchronized (this) {
            if (failure != null || isClosing) {
                return CLOSED;
            }
            PartitionQueue queue = queue(partition);
            number = add(queue, key, value);
            if (number >= 0 && offset != null) {
                queue.promise(offset);
            }
            queues.pump(queue);
            beginChecking();
        }
        completed.report();
        return number;
    }

    private PartitionQueue queue(int partition) {
        if (partition < 0 || partition >= queues.count()) {
            throw new IllegalArgumentException(
                    "topic " + topic + " has no partition " + partition + ": partitions=" + queues.count());
        }
        return queues.get(partition);
    }

    private long add(PartitionQueue queue, ByteBuffer key, ByteBuffer value) {
        long timestamp = System.currentTimeMillis();
        long number = queue.add(timestamp, key, value);
        if (number < 0) {
            int needed = needed(key, value);
            ProducerBatch batch = memory.take(needed);
            if (batch == null) {
                return NO_SPACE;
            }
            queue.open(batch, longestBatch);
            number = queue.add(timestamp, key, value);
        }
        unacknowledged++;
        return number;
    }

    private int needed(ByteBuffer key, ByteBuffer value) {
        long length = (long) RecordBatchLayout.HEADER_LENGTH
                + RECORD_OVERHEAD
                + (key == null ? 0 : key.remaining())
                + (value == null ? 0 : value.remaining());
        if (length > longestBatch) {
            throw new IllegalArgumentException(
                    "topic " + topic + ": a record needs " + length + " bytes with its batch,"
                            + " and the longest batch has " + longestBatch
                            + "; raise rocketlog.batch.longest at the broker, and"
                            + " rocketlog.producer.ring-capacity here");
        }
        return (int) length;
    }

    private synchronized void pumpStalled() {
        queues.pumpStalled();
    }

    private synchronized void release(ProducerBatch batch) {
        unacknowledged -= batch.count;
        memory.release(batch);
        notifyAll();
    }

    /** Handles the result of the next batch that a partition has sent. */
    private void onResult(PartitionQueue queue, long result) {
        if (options.acks() == Acks.NONE && result != AppendResult.TOPIC_DELETED) {
            if (result < 0 && !hasLost) {
                hasLost = true; // logged once
                LOG.warn("{}: records are lost: {}", name(queue), AppendResult.reason(result));
            }
        } else if (queue.isPaused()) {
            return; // a batch after one that is resent; this one is resent, too
        } else if (AppendResult.isInLog(result)) {
            completed.add(queue.accepted(), Math.max(result, ProducerCallback.UNKNOWN_OFFSET));
        } else if (AppendResult.isTemporary(result)) {
            lastProblem = name(queue) + ": " + AppendResult.reason(result);
            queue.pause();
            schedule(this::resumePaused, options.retryDelayMs());
        } else {
            fail(LogClientException.refused(result, name(queue)));
        }
        queues.pump(queue);
    }

    private String name(PartitionQueue queue) {
        return "topic " + topic + ", partition " + queue.number();
    }

    private synchronized void resumePaused() {
        if (!queues.resumePaused()) {
            schedule(this::resumePaused, options.retryDelayMs());
        }
    }

    /** The events of the link. Those of former links are ignored. */
    private final class Events implements ProducerLink.Owner {
        @Override
        public void onReady(ProducerLink ready, int partitions, int longest) {
            synchronized (LogProducer.this) {
                if (hasEnded()) {
                    ready.close();
                } else if (ready == link) {
                    reconnectCount += queues.count() == 0 ? 0 : 1;
                    longestBatch = (int) Math.min(longest, options.ringCapacity() / 2 - BatchFrameLayout.BATCH);
                    queues.begin(ready, partitions);
                }
            }
            opened.complete(null);
            completed.report();
        }

        @Override
        public void onResults(ProducerLink from, Segment results) {
            synchronized (LogProducer.this) {
                for (int i = 0; from == link && failure == null && i < ProducerLink.count(results); i++) {
                    PartitionQueue queue = queues.answered(ProducerLink.partition(results, i));
                    if (queue == null) {
                        throw new TransportException(
                                TransportException.Code.PROTOCOL,
                                "the broker has sent a result for which there is no batch: partition="
                                        + ProducerLink.partition(results, i));
                    }
                    onResult(queue, ProducerLink.result(results, i));
                }
            }
            completed.report();
        }

        @Override
        public void onRefused(ProducerLink from, LogClientException cause) {
            synchronized (LogProducer.this) {
                if (from != link) {
                    return;
                }
                if (cause.code() == LogClientException.Code.MODE_UNAVAILABLE) {
                    usePrivate(cause);
                } else {
                    fail(cause);
                }
            }
            completed.report();
        }

        @Override
        public void onSpace(ProducerLink from) {
            from.execute(() -> {
                pumpStalled();
                completed.report();
            });
        }

        @Override
        public void onEnded(ProducerLink ended, Throwable cause) {
            LogProducer.this.onEnded(ended, cause);
        }
    }

    /** Sends through the private ring until the next connection, which asks again. */
    private void usePrivate(LogClientException cause) {
        if (!hasUsedPrivate) {
            hasUsedPrivate = true; // logged once
            LOG.warn("topic {}: the producer uses the mode private: {}", topic, cause.getMessage());
        }
        link.usePrivate();
        queues.pumpStalled();
    }

    private void onEnded(ProducerLink ended, Throwable cause) {
        Throwable reason = cause == null ? closedByBroker() : cause;
        boolean wasOpening = opened.completeExceptionally(reason);
        synchronized (this) {
            ended.release();
            if (ended != link) {
                return;
            }
            queues.end();
            notifyAll();
            if (wasOpening || hasEnded()) {
                return;
            }
            lastProblem = Reason.of(reason);
            if (reason instanceof LogClientException refused
                    && refused.code() == LogClientException.Code.NO_SUCH_TOPIC) {
                fail(refused);
            } else {
                LOG.debug("topic {}: reconnecting: {}", topic, lastProblem);
                schedule(this::connect, options.retryDelayMs());
            }
        }
        completed.report();
    }

    private static TransportException closedByBroker() {
        return new TransportException(TransportException.Code.CLOSED, "the broker has closed the connection");
    }

    private void schedule(Runnable task, long delayMs) {
        try {
            timer.schedule(
                    () -> {
                        task.run();
                        completed.report();
                    },
                    delayMs,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("topic {}: the producer is closed", topic, e);
        }
    }

    private void beginChecking() {
        if (!isChecking && unacknowledged > 0) {
            isChecking = true;
            schedule(this::checkAge, Math.min(CHECK_MS, options.timeoutMs()));
        }
    }

    /** Fails when the oldest record is too old. Runs only while there are records. */
    private synchronized void checkAge() {
        long nowNs = System.nanoTime();
        PartitionQueue oldest = queues.oldest(nowNs);
        if (oldest != null && nowNs - oldest.oldestNs(nowNs) >= TimeUnit.MILLISECONDS.toNanos(options.timeoutMs())) {
            fail(new LogClientException(
                    LogClientException.Code.TIMEOUT,
                    name(oldest) + ": no acknowledgement within rocketlog.producer.timeout=" + options.timeoutMs()
                            + " ms: " + lastProblem));
        }
        isChecking = false;
        if (failure == null) {
            beginChecking();
        }
    }

    /** Fails all records. */
    private void fail(LogClientException cause) {
        if (failure != null) {
            return;
        }
        failure = cause;
        queues.fail(cause);
        completed.fail(cause);
        if (link != null) {
            link.close();
        }
        notifyAll();
    }

    /** Returns why the producer accepts nothing further; null if it does. */
    public synchronized LogClientException failure() {
        return failure == null && isClosing ? closed() : failure;
    }

    private LogClientException closed() {
        return new LogClientException(LogClientException.Code.CLOSED, "topic " + topic + ": the producer is closed");
    }

    /** Returns the number of times that the producer has lost its connection and reconnected. */
    public synchronized long reconnectCount() {
        return reconnectCount;
    }

    /** Returns the largest sum of the lengths of key and value that a record may have, in bytes. */
    public synchronized int longestRecord() {
        return longestBatch - RecordBatchLayout.HEADER_LENGTH - RECORD_OVERHEAD;
    }

    /** Returns the number of records that do not count as sent yet. */
    public synchronized long unacknowledgedCount() {
        return unacknowledged;
    }

    /**
     * Waits until memory may be free, or the producer has failed, but only for a short time. No worker may call this.
     *
     * @throws LogClientException if the thread is interrupted
     */
    public synchronized void awaitSpace() {
        if (unacknowledged > 0 && failure == null) {
            waitForChange();
        }
    }

    /**
     * Waits until all records count as sent, and the broker has answered. No worker may call this.
     *
     * @throws LogClientException if the producer has failed, or the thread is interrupted
     */
    public synchronized void flush() {
        while (failure == null && (unacknowledged > 0 || queues.isUnderWay())) {
            waitForChange();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void waitForChange() {
        try {
            wait(CHECK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LogClientException(
                    LogClientException.Code.CLOSED, "topic " + topic + ": interrupted while waiting for the broker");
        }
    }

    /** Sends all records that have been added, waits for the results, and closes the connection. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            if (isClosing) {
                return;
            }
            isClosing = true;
        }
        try {
            flush();
        } catch (LogClientException e) {
            LOG.debug("topic {}: closed after a failure", topic, e);
        } finally {
            abandon();
        }
    }

    private void abandon() {
        ProducerLink last;
        synchronized (this) {
            isClosing = true;
            if (unacknowledged > 0) {
                fail(closed());
            }
            last = link;
        }
        if (last != null) {
            last.closeAndWait();
        }
        completed.report();
        timer.shutdownNow();
        memory.close();
    }
}
