package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * All records of a producer that do not count as sent yet. Contains the queues of all partitions and the memory of
 * their batches, and counts the batches in flight on the producer's link.
 *
 * <p><i>Thread-safety:</i> guarded by the producer's lock.
 */
final class PartitionQueues {
    private static final SecureRandom IDS = new SecureRandom();
    /** Maximum overhead of a record, in bytes, in addition to its key and value. */
    private static final int RECORD_OVERHEAD = 40;

    private final TopicIdentity topic;
    private final LogClientSettings.Producer options;
    private final long producerId;
    private final CompletedBatches completed;
    private final BatchMemory memory;
    /** The queues whose next batch the link has not accepted yet. */
    private final ArrayDeque<PartitionQueue> stalled = new ArrayDeque<>();

    private PartitionQueue[] queues = {};
    private int longestBatch;
    /** Number of records that have been added but not yet released. */
    private long unacknowledged;
    /** Number of batches that have been sent over the link and have no result yet. */
    private int underWay;
    /** Number of threads that wait until all records have been sent. */
    private int flushCount;
    /** The link; null while no link is usable. */
    private ProducerLink link;

    /** Creates an instance without queues. The first link determines the number of queues. */
    PartitionQueues(TopicIdentity topic, LogClientSettings.Producer options, CompletedBatches completed) {
        this.topic = topic;
        this.options = options;
        this.producerId = waitsForBroker() ? IDS.nextLong() & Long.MAX_VALUE : RecordBatchLayout.NO_PRODUCER;
        this.completed = completed;
        this.memory = new BatchMemory(options.batchLength(), options.memory(), options.mode() != ProduceMode.PRIVATE);
    }

    /** Returns true if a record counts as sent only after the broker has appended it. */
    private boolean waitsForBroker() {
        return options.acks() == Acks.LEADER;
    }

    /** Returns the maximum number of batches in flight per partition. */
    private int mostUnderWay() {
        return options.mode() == ProduceMode.SHARED
                ? Math.min(options.maxInFlight(), AppendResult.MOST_IN_FLIGHT_SHARED)
                : options.maxInFlight();
    }

    /** Returns the producer id that all batches contain. */
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
            throw new IllegalArgumentException("topic " + topic + " has no partition " + partition + ": partitions="
                    + queues.length + "; use a number from 0 to " + (queues.length - 1));
        }
        return queues[partition];
    }

    /**
     * Adds a record with the current time as its timestamp. Does not send it; see {@link #pump}.
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
                endLinger();
                return LogProducer.NO_SPACE;
            }
            queue.open(batch, longestBatch);
            number = queue.add(timestamp, key, value);
        }
        if (flushCount > 0) {
            queue.endLinger();
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
     * Starts sending over a new link. First resends the batches that have no result.
     *
     * @param longest length of the longest batch that the broker accepts, in bytes
     */
    void begin(ProducerLink over, int partitions, int longest) {
        longestBatch = (int) Math.min(longest, options.ringCapacity() / 2 - BatchFrameLayout.BATCH);
        if (queues.length == 0) {
            queues = new PartitionQueue[partitions];
            for (int i = 0; i < partitions; i++) {
                queues[i] = new PartitionQueue(
                        i, producerId, mostUnderWay(), TimeUnit.MILLISECONDS.toNanos(options.lingerMs()));
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

    /**
     * Stops sending until {@link #begin} is called with a new link. Missing results of the old link are no longer
     * expected.
     */
    void end() {
        link = null;
        underWay = 0;
        stalled.clear();
    }

    /** Returns true if batches are in flight on the link. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Sends all batches that the partition's queue may send now. */
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

    /**
     * Sends the batches that have lingered long enough.
     *
     * @return the time in nanoseconds until another batch has lingered long enough, or 0 if no batch lingers
     */
    long sendExpired(long nowNs) {
        long shortestNs = 0;
        for (PartitionQueue queue : queues) {
            if (!queue.lingers()) {
                continue;
            }
            long remainingNs = queue.remainingLingerNs(nowNs);
            if (remainingNs <= 0) {
                queue.endLinger();
                pump(queue);
            } else {
                shortestNs = shortestNs == 0 ? remainingNs : Math.min(shortestNs, remainingNs);
            }
        }
        return shortestNs;
    }

    /** Sends all batches that linger, and lets no further batches linger until {@link #endFlush} is called. */
    void beginFlush() {
        flushCount++;
        endLinger();
    }

    /** Ends one flush; see {@link #beginFlush}. */
    void endFlush() {
        flushCount--;
    }

    private void endLinger() {
        if (options.lingerMs() == 0) {
            return;
        }
        for (PartitionQueue queue : queues) {
            if (queue.lingers()) {
                queue.endLinger();
                pump(queue);
            }
        }
    }

    /** Sends the batches that wait for the link, and resends batches that the link could not write. */
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

    /**
     * Records that a result has arrived for a partition, and returns the partition's queue. Returns null if the
     * partition expects no result.
     */
    PartitionQueue answered(int partition) {
        if (partition < 0 || partition >= queues.length || !queues[partition].isUnderWay()) {
            return null;
        }
        PartitionQueue queue = queues[partition];
        underWay--;
        queue.answered();
        if (queue.isStalled && !queue.isUnderWay()) { // the link may have refused its batch until now
            stalled.remove(queue);
            queue.isStalled = false;
        }
        return queue;
    }

    /**
     * Resumes paused queues, which then resend their batches.
     *
     * @return false if a queue must stay paused because some of its batches are still in flight
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

    /**
     * Returns the queue with the oldest unacknowledged record, or null if no record was added before the given time.
     */
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

    /** Makes all records fail. */
    void fail(LogClientException cause) {
        end();
        for (PartitionQueue queue : queues) {
            for (ProducerBatch batch = queue.removeAny(); batch != null; batch = queue.removeAny()) {
                completed.addFailed(batch, cause);
            }
        }
    }

    /** Frees the memory of the batches. No transport may still be sending from it. */
    void close() {
        memory.close();
    }
}
