package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer of records for the partitions of one topic. It collects records in batches, keeps them until the broker
 * has acknowledged them, and reconnects after losing its connection. Batching delays no records unless
 * {@code rocketlog.producer.linger} is set. The broker recognizes resent batches, so each acknowledged record is in the
 * log exactly once, and the records of a partition stay in order.
 *
 * <p>If the broker permanently refuses records, or does not acknowledge a record in time, the producer fails. It then
 * accepts no further records, because later records must not overtake lost ones.
 *
 * <pre>
 *                  the broker answers              the link has ended
 *   open --&gt; opening ------------&gt; connected &lt;----------------------&gt; reconnecting
 *               |                      |          the broker answers       |
 *               | refused, or          |                                   |
 *               | the link has ended   +-----------------+-----------------+
 *               v                                        |
 *         open throws                 close              |   refused permanently, or too late
 *                                  +---------------------+---------------------+
 *                                  v                                           v
 *        closing: accepts nothing, but sends and reconnects             failed: accepts and
 *        until all records are acknowledged; then closed                  sends nothing
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its connection and a timer thread; the caller owns the
 * RocketBufs.
 */
public final class LogProducer implements AutoCloseable {
    /**
     * Result of {@link #send}: the memory is full of unacknowledged records. Try again after some have been
     * acknowledged.
     */
    public static final long NO_SPACE = -1;

    /** Result of {@link #send}: the producer has failed, see {@link #failure}, or is closed. */
    public static final long CLOSED = -2;

    private static final Logger LOG = LoggerFactory.getLogger(LogProducer.class);
    private static final long CHECK_MS = 1000;
    private static final String CHECK_BROKER = "; check that the broker is running and can be reached";

    private final RocketBufs rocketBufs;
    private final LogClientSettings settings;
    private final LogClientSettings.Producer options;
    private final TopicIdentity topic;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final ProducerLink.Owner events = new Events();
    private final CompletedBatches completed;
    private final DelayedTasks delayed;
    private final PartitionQueues queues;
    private ProducerLink link;
    private boolean isChecking;
    /** True while {@link #sendExpired} is scheduled. */
    private boolean isExpiryScheduled;

    private boolean isClosing;
    private boolean hasLost;
    private boolean hasUsedPrivate;
    private long reconnectCount;
    private long batchCount;
    private long directBatchCount;
    private LogClientException failure;
    private String lastProblem = "the broker did not respond" + CHECK_BROKER;

    private LogProducer(RocketBufs rocketBufs, LogClientSettings settings, String topic, ProducerCallback callback) {
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.options = settings.producer();
        this.topic = new TopicIdentity(topic);
        this.completed = new CompletedBatches(callback, this::release);
        this.delayed = new DelayedTasks(completed::report);
        this.queues = new PartitionQueues(this.topic, options, completed);
    }

    /**
     * Connects to the broker and announces the producer. Blocks until the broker has responded, so no worker may call
     * this.
     *
     * @throws TransportException if the broker cannot be reached, or refuses the connection
     * @throws LogClientException if the topic does not exist, or the broker does not respond in time
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
        next.open(rocketBufs, settings, topic); // without the lock, because it may resolve a host name
    }

    private boolean hasEnded() {
        return failure != null || isClosing && queues.unacknowledgedCount() == 0;
    }

    /** Returns the number of the topic's partitions. */
    public synchronized int partitions() {
        return queues.count();
    }

    /**
     * Adds a record with the current time as its timestamp. Copies the bytes of the key and the value. Does not block.
     * The record may wait for up to {@code rocketlog.producer.linger} before it is sent, unless {@link #flush} is
     * called.
     *
     * @param key may be null
     * @param value may be null
     * @return the record's number, counted from 0 among the records that this producer adds to the partition; or
     *     {@link #NO_SPACE} or {@link #CLOSED}
     * @throws IllegalArgumentException if there is no such partition, or the record does not fit into a batch
     */
    public long send(int partition, ByteBuffer key, ByteBuffer value) {
        return send(partition, key, value, null);
    }

    /**
     * Adds a record like {@link #send}, but waits for space if necessary. No worker may call this.
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
            PartitionQueue queue = queues.get(partition);
            number = queues.add(queue, key, value);
            if (number >= 0 && offset != null) {
                queue.promise(offset);
            }
            queues.pump(queue);
            beginChecking();
            if (queue.lingers() && !isExpiryScheduled) {
                isExpiryScheduled = true;
                delayed.schedule(this::sendExpired, options.lingerMs());
            }
        }
        completed.report();
        return number;
    }

    /** Sends the batches that have lingered long enough. Runs again when further batches have. */
    private synchronized void sendExpired() {
        isExpiryScheduled = false;
        long remainingNs = queues.sendExpired(System.nanoTime());
        if (remainingNs > 0) {
            isExpiryScheduled = true;
            delayed.schedule(this::sendExpired, TimeUnit.NANOSECONDS.toMillis(remainingNs) + 1);
        }
    }

    private synchronized void pumpStalled() {
        queues.pumpStalled();
    }

    private synchronized void release(ProducerBatch batch) {
        queues.release(batch);
        notifyAll();
    }

    /** Handles the result of a partition's oldest batch in flight. */
    private void onResult(PartitionQueue queue, long result) {
        if (options.acks() == Acks.NONE && result != AppendResult.TOPIC_DELETED) {
            if (result < 0 && !hasLost) {
                hasLost = true; // logged once
                LOG.warn("{}: records were lost: {}", name(queue), AppendResult.reason(result));
            }
        } else if (queue.isPaused()) {
            return; // the batch follows a resent batch, so it is resent too
        } else if (AppendResult.isInLog(result)) {
            ProducerBatch accepted = queue.accepted();
            batchCount++;
            directBatchCount += accepted.isDirect ? 1 : 0;
            completed.add(accepted, Math.max(result, ProducerCallback.UNKNOWN_OFFSET));
        } else if (AppendResult.isTemporary(result)) {
            lastProblem = name(queue) + ": " + AppendResult.reason(result);
            queue.pause();
            delayed.schedule(this::resumePaused, options.retryDelayMs());
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
            delayed.schedule(this::resumePaused, options.retryDelayMs());
        }
    }

    /** The receiver of the link's events. It ignores events of earlier links. */
    private final class Events implements ProducerLink.Owner {
        @Override
        public void onReady(ProducerLink ready, int partitions, int longest) {
            synchronized (LogProducer.this) {
                if (hasEnded()) {
                    ready.close();
                } else if (ready == link) {
                    reconnectCount += queues.count() == 0 ? 0 : 1;
                    queues.begin(ready, partitions, longest);
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
                                "the broker sent a result for which there is no batch: partition="
                                        + ProducerLink.partition(results, i));
                    }
                    onResult(queue, ProducerLink.result(results, i));
                }
                LogProducer.this.notifyAll(); // a flush also waits for batches whose records already count as sent
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

    /**
     * Sends batches through the private buffer until the next connection, over which the producer requests access
     * again.
     */
    private void usePrivate(LogClientException cause) {
        if (!hasUsedPrivate) {
            hasUsedPrivate = true; // logged once
            LOG.warn("Topic {}: the producer uses the mode private: {}", topic, cause.getMessage());
        }
        link.usePrivate();
        queues.pumpStalled();
    }

    private void onEnded(ProducerLink ended, Throwable cause) {
        Throwable reason = cause == null
                ? new TransportException(TransportException.Code.CLOSED, "the broker closed the connection")
                : cause;
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
            lastProblem = Reason.of(reason) + (reason instanceof TransportException ? CHECK_BROKER : "");
            if (reason instanceof LogClientException refused
                    && refused.code() == LogClientException.Code.NO_SUCH_TOPIC) {
                fail(refused);
            } else {
                LOG.debug("Topic {}: reconnecting: {}", topic, lastProblem);
                delayed.schedule(this::connect, options.retryDelayMs());
            }
        }
        completed.report();
    }

    private void beginChecking() {
        if (!isChecking && queues.unacknowledgedCount() > 0) {
            isChecking = true;
            delayed.schedule(this::checkAge, Math.min(CHECK_MS, options.timeoutMs()));
        }
    }

    /**
     * Makes the producer fail if its oldest record is too old. Runs periodically while there are unacknowledged
     * records.
     */
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

    /** Fails the producer and all its records. Does nothing if the producer has already failed. */
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

    /** Returns why the producer accepts no further records, or null if it has neither failed nor been closed. */
    public synchronized LogClientException failure() {
        return failure == null && isClosing ? closed() : failure;
    }

    private LogClientException closed() {
        return new LogClientException(
                LogClientException.Code.CLOSED, "topic " + topic + ": the producer is closed; open a new producer");
    }

    /** Returns the number of times that the producer has lost its connection and reconnected. */
    public synchronized long reconnectCount() {
        return reconnectCount;
    }

    /** Returns the number of batches that the broker has acknowledged. */
    public synchronized long batchCount() {
        return batchCount;
    }

    /**
     * Returns the number of acknowledged batches that this producer has written directly into logs. Shows whether the
     * producer uses the requested mode or its private buffer.
     */
    public synchronized long directBatchCount() {
        return directBatchCount;
    }

    /** Returns the maximum total length of a record's key and value, in bytes. */
    public synchronized int longestRecord() {
        return queues.longestRecord();
    }

    /** Returns the number of records that have been added but do not count as sent yet. */
    public synchronized long unacknowledgedCount() {
        return queues.unacknowledgedCount();
    }

    /**
     * Waits briefly until memory may be available or the producer has failed. No worker may call this.
     *
     * @throws LogClientException if the thread is interrupted
     */
    public synchronized void awaitSpace() {
        if (queues.unacknowledgedCount() > 0 && failure == null) {
            waitForChange();
        }
    }

    /**
     * Sends the batches that linger. Then waits until all records count as sent and the broker has responded to all
     * batches. No worker may call this.
     *
     * @throws LogClientException if the producer has failed, or the thread is interrupted
     */
    public synchronized void flush() {
        queues.beginFlush();
        try {
            while (failure == null && (queues.unacknowledgedCount() > 0 || queues.isUnderWay())) {
                waitForChange();
            }
        } finally {
            queues.endFlush();
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

    /**
     * Waits until all added records have been sent and acknowledged, or the producer has failed, and closes the
     * connection. Idempotent.
     */
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
            LOG.debug("Topic {}: closed after a failure", topic, e);
        } finally {
            abandon();
        }
    }

    private void abandon() {
        ProducerLink last;
        synchronized (this) {
            isClosing = true;
            if (queues.unacknowledgedCount() > 0) {
                fail(closed());
            }
            last = link;
        }
        if (last != null) {
            last.closeAndWait();
        }
        completed.report();
        delayed.close();
        if (last != null) {
            last.whenEnded(queues::close); // the transport may still be sending batches
        }
    }
}
