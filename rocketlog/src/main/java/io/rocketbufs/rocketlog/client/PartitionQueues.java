package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;

/**
 * A producer's records that do not count as sent yet: the queues of all partitions, the memory of their batches, and
 * the batches in flight on the producer's link.
 *
 * <p><i>Thread-safety:</i> guarded by the producer.
 */
final class PartitionQueues {
    private static final SecureRandom IDS = new SecureRandom();
    /** Maximum number of bytes of a record in addition to its key and value. */
    private static final int RECORD_OVERHEAD = 40;

    private final TopicIdentity topic;
    private final LogClientSettings.Producer options;
    private final long producerId;
    private final CompletedBatches completed;
    private final BatchMemory memory;
    /** The queues that wait until the link accepts their next batch. */
    private final ArrayDeque<PartitionQueue> stalled = new ArrayDeque<>();

    private PartitionQueue[] queues = {};
    private int longestBatch;
    /** Number of records that have been added but not released. */
    private long unacknowledged;
    /** Number of batches sent over the link that have no result yet. */
    private int underWay;
    /** The link; null while nothing can be sent. */
    private ProducerLink link;

    /** Creates an object without queues; the first link determines their number. */
    PartitionQueues(TopicIdentity topic, LogClientSettings.Producer options, CompletedBatches completed) {
        this.topic = topic;
        this.options = options;
        this.producerId = waitsForBroker() ? IDS.nextLong() & Long.MAX_VALUE : RecordBatchLayout.NO_PRODUCER;
        this.completed = completed;
        this.memory = new BatchMemory(options.batchLength(), options.memory(), options.mode() != ProduceMode.PRIVATE);
    }

    /** Returns true if a record counts as sent only when the broker has appended it. */
    private boolean waitsForBroker() {
        return options.acks() == Acks.LEADER;
    }

    /** Returns the maximum number of batches without a result for each partition. */
    private int mostUnderWay() {
        return options.mode() == ProduceMode.SHARED
                ? Math.min(options.maxInFlight(), AppendResult.MOST_IN_FLIGHT_SHARED)
                : options.maxInFlight();
    }

    /** Returns the producer id of all batches. */
    long producerId() {
        return producerId;
    }

    /** Returns the number of partitions; 0 before the first link. */
    int count() {
        return queues.length;
    }

    /**
     * Returns the queue of a partition.
     *
     * @throws IllegalArgumentException if there is no such partition
     */
    PartitionQueue get(int partition) {
        if (partition < 0 || partition >= queues.length) {
            throw new IllegalArgumentException(
                    "topic " + topic + " has no partition " + partition + ": partitions=" + queues.length);
        }
        return queues[partition];
    }

    /**
     * Adds a record with the current time. Does not send it; see {@link #pump}.
     *
     * @return the record's number in the partition, or {@link LogProducer#NO_SPACE}
     * @throws IllegalArgumentException if the record does not fit into a batch
     */
    long add(PartitionQueue queue, ByteBuffer key, ByteBuffer value) {
        long timestamp = System.currentTimeMillis();
        long number = queue.add(timestamp, key, value);
        if (number < 0) {
            ProducerBatch batch = memory.take(needed(key, value));
            if (batch == null) {
                return LogProducer.NO_SPACE;
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
                    "topic " + topic + ": a batch with this record needs " + length + " bytes,"
                            + " but the longest batch may have " + longestBatch
                            + "; raise rocketlog.batch.longest at the broker, and"
                            + " rocketlog.producer.ring-capacity here");
        }
        return (int) length;
    }

    /** Returns the maximum total length of a record's key and value, in bytes. */
    int longestRecord() {
        return longestBatch - RecordBatchLayout.HEADER_LENGTH - RECORD_OVERHEAD;
    }

    /** Releases the memory of a batch whose records have been reported. */
    void release(ProducerBatch batch) {
        unacknowledged -= batch.count;
        memory.release(batch);
    }

    /** Returns the number of records that have not been reported. */
    long unacknowledgedCount() {
        return unacknowledged;
    }

    /**
     * Begins to send over a new link, starting with the batches that have no result.
     *
     * @param longest length of the longest batch that the broker accepts
     */
    void begin(ProducerLink over, int partitions, int longest) {
        longestBatch = (int) Math.min(longest, options.ringCapacity() / 2 - BatchFrameLayout.BATCH);
        if (queues.length == 0) {
            queues = new PartitionQueue[partitions];
            for (int i = 0; i < partitions; i++) {
                queues[i] = new PartitionQueue(i, producerId, mostUnderWay());
            }
        }
        end();
        link = over;
        for (PartitionQueue queue : queues) {
            queue.isStalled = false;
            queue.resume();
            pump(queue);
        }
    }

    /** Stops sending until the next link begins; the missing results will not arrive. */
    void end() {
        link = null;
        underWay = 0;
        stalled.clear();
    }

    /** Returns true if results of the link are missing. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Sends the batches that a partition may send now. */
    void pump(PartitionQueue queue) {
        while (link != null && !queue.isStalled) {
            ProducerBatch batch = queue.nextToSend();
            if (batch == null) {
                return;
            }
            if (!link.send(queue.number(), batch, queue.isUnderWay())) {
                queue.isStalled = true;
                stalled.add(queue);
                return;
            }
            queue.sent();
            underWay++;
            if (!waitsForBroker()) {
                completed.add(queue.accepted(), ProducerCallback.UNKNOWN_OFFSET);
            }
        }
    }

    /** Sends the batches that wait for the link, and resends those that the link returns. */
    void pumpStalled() {
        if (link != null && link.takeHasUnwritten()) {
            for (PartitionQueue queue : queues) {
                takeUnwritten(queue);
            }
        }
        for (int i = stalled.size(); i > 0; i--) {
            PartitionQueue queue = stalled.remove();
            queue.isStalled = false;
            pump(queue);
        }
    }

    private void takeUnwritten(PartitionQueue queue) {
        int count = link.takeUnwritten(queue.number());
        if (count > 0) {
            queue.unsend(count);
            underWay -= count;
            pump(queue);
        }
    }

    /** Returns the queue of the partition for which a result has arrived, or null if it expects none. */
    PartitionQueue answered(int partition) {
        if (partition < 0 || partition >= queues.length || !queues[partition].isUnderWay()) {
            return null;
        }
        PartitionQueue queue = queues[partition];
        underWay--;
        queue.answered();
        if (queue.isStalled && !queue.isUnderWay()) { // the link may have waited for this
            stalled.remove(queue);
            queue.isStalled = false;
        }
        return queue;
    }

    /**
     * Resends the batches of paused queues.
     *
     * @return false if a queue must stay paused because results of its earlier batches are missing
     */
    boolean resumePaused() {
        boolean areResumed = true;
        for (PartitionQueue queue : queues) {
            if (queue.isPaused() && queue.isUnderWay()) {
                areResumed = false;
            } else if (queue.isPaused()) {
                queue.resume();
                pump(queue);
            }
        }
        return areResumed;
    }

    /** Returns the queue with the oldest record that was added before the given time, or null if there is none. */
    PartitionQueue oldest(long nowNs) {
        long oldestNs = nowNs;
        PartitionQueue found = null;
        for (PartitionQueue queue : queues) {
            long ns = queue.oldestNs(nowNs);
            if (ns - oldestNs < 0) {
                oldestNs = ns;
                found = queue;
            }
        }
        return found;
    }

    /** Fails all records. */
    void fail(LogClientException cause) {
        end();
        for (PartitionQueue queue : queues) {
            for (ProducerBatch batch = queue.removeAny(); batch != null; batch = queue.removeAny()) {
                completed.addFailed(batch, cause);
            }
        }
    }

    /** Frees the memory of the batches. No transport may be sending from it. */
    void close() {
        memory.close();
    }
}
