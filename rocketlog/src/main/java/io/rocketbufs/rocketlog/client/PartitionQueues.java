package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.security.SecureRandom;
import java.util.ArrayDeque;

/**
 * The queues of all partitions of a producer, and the batches that are in flight over its link.
 *
 * <p><i>Thread-safety:</i> guarded by the producer.
 */
final class PartitionQueues {
    private static final SecureRandom IDS = new SecureRandom();

    private final boolean waitsForBroker;
    private final int mostUnderWay;
    private final long producerId;
    private final CompletedBatches completed;
    /** The queues that wait until the link takes their next batch. */
    private final ArrayDeque<PartitionQueue> stalled = new ArrayDeque<>();

    private PartitionQueue[] queues = {};
    /** Number of batches that have been sent over the link and have no result yet. */
    private int underWay;
    /** Null while nothing can be sent. */
    private ProducerLink link;

    /**
     * Creates no queues before the first link.
     *
     * @param waitsForBroker whether a record counts as sent when the broker has appended it, and not earlier
     * @param mostUnderWay number of batches of a partition without a result
     */
    PartitionQueues(boolean waitsForBroker, int mostUnderWay, CompletedBatches completed) {
        this.waitsForBroker = waitsForBroker;
        this.mostUnderWay = mostUnderWay;
        this.producerId = waitsForBroker ? IDS.nextLong() & Long.MAX_VALUE : RecordBatchLayout.NO_PRODUCER;
        this.completed = completed;
    }

    /** Returns the producer id of all batches. */
    long producerId() {
        return producerId;
    }

    /** Returns the number of partitions; 0 before the first link. */
    int count() {
        return queues.length;
    }

    PartitionQueue get(int partition) {
        return queues[partition];
    }

    /** Begins to send over a new link, starting with the batches that have no result. */
    void begin(ProducerLink over, int partitions) {
        if (queues.length == 0) {
            queues = new PartitionQueue[partitions];
            for (int i = 0; i < partitions; i++) {
                queues[i] = new PartitionQueue(i, producerId, mostUnderWay);
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

    /** Sends nothing until the next link begins; the results that are missing will not arrive. */
    void end() {
        link = null;
        underWay = 0;
        stalled.clear();
    }

    /** Returns true if the link owes results. */
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
            if (!waitsForBroker) {
                completed.add(queue.accepted(), ProducerCallback.UNKNOWN_OFFSET);
            }
        }
    }

    /** Sends what waits until the link takes it, and what the link gives back. */
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

    /** Returns the queue of a partition that has a result, or null if the link owes it none. */
    PartitionQueue answered(int partition) {
        if (partition < 0 || partition >= queues.length || !queues[partition].isUnderWay()) {
            return null;
        }
        PartitionQueue queue = queues[partition];
        underWay--;
        queue.answered();
        if (queue.isStalled && !queue.isUnderWay()) { // the link may have waited for that
            stalled.remove(queue);
            queue.isStalled = false;
        }
        return queue;
    }

    /**
     * Sends the batches of paused queues again.
     *
     * @return false if a queue must stay paused, because results of its former batches are missing
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
}
