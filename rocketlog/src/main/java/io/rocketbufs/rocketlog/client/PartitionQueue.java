package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * The unacknowledged batches of one partition, in the order of their records.
 *
 * <pre>
 *   oldest                    to send                 newest        open
 *     |--- sent, no result yet ---|--- closed, not sent ---|          | records are added here
 * </pre>
 *
 * <p>Unless batches linger, batching never delays records: if fewer than two batches are in flight, the open batch is
 * closed and sent immediately. Otherwise, records accumulate in the open batch until a result arrives or the batch is
 * full. A batch that lingers stays open for a given time, unless it is full sooner.
 *
 * <p><i>Thread-safety:</i> guarded by the producer's lock. <i>Source:</i> FastPS, section 2.1: low latency and high
 * throughput without tuning.
 */
final class PartitionQueue {
    /**
     * Maximum number of batches in flight until the log has accepted a batch, both at the start and whenever batches
     * are resent. The log accepts any sequence number from an unknown producer. If the log had no space for the first
     * batch but accepted a later batch, the log could no longer accept the first.
     */
    private static final int MOST_BEFORE_ACCEPTANCE = 1;
    /** Number of batches in flight that keep the network and the broker busy, so that further records accumulate. */
    private static final int BUSY = 2;

    private final int number;
    private final long producerId;
    private final int mostUnderWay;
    private final long lingerNs;
    private final BatchBuilder builder = new BatchBuilder();
    private ProducerBatch oldest;
    private ProducerBatch toSend;
    private ProducerBatch newest;
    private ProducerBatch open;
    private long recordCount;
    private int underWay;
    /** True while the open batch must not be sent because further records may follow. */
    private boolean lingers;
    /** True if the log has accepted a batch since {@link #resume}, and therefore recognizes the producer. */
    private boolean isAccepted;

    private boolean isPaused;
    /** True while the queue is in the list of queues that wait for the link, see {@link PartitionQueues}. */
    boolean isStalled;

    /**
     * Creates an empty queue.
     *
     * @param producerId -1 if batches are never resent and need no sequence number
     * @param mostUnderWay maximum number of batches in flight; the log recognizes resent batches regardless of this
     *     number
     * @param lingerNs how long a batch stays open unless it is full, in nanoseconds; 0 if batches never linger
     */
    PartitionQueue(int number, long producerId, int mostUnderWay, long lingerNs) {
        this.number = number;
        this.producerId = producerId;
        this.mostUnderWay = mostUnderWay;
        this.lingerNs = lingerNs;
    }

    int number() {
        return number;
    }

    /**
     * Adds a record to the open batch. Returns the record's number, or -1 if the record does not fit or no batch is
     * open.
     */
    long add(long timestamp, ByteBuffer key, ByteBuffer value) {
        if (open == null || !builder.add(timestamp, key, value)) {
            return -1;
        }
        open.count = builder.count();
        lingers &= builder.hasSpace();
        return recordCount++;
    }

    /**
     * Closes the open batch, if there is one, and opens a new batch.
     *
     * @param longest maximum length of the batch, in bytes, even if its memory is larger
     */
    void open(ProducerBatch batch, int longest) {
        close();
        batch.partition = number;
        batch.firstNumber = recordCount;
        batch.beganNs = System.nanoTime();
        batch.count = 0;
        batch.failure = null;
        batch.wasSent = false;
        batch.isDirect = false;
        builder.begin(batch.memory.clear().limit(Math.min(batch.memory.capacity(), longest)));
        open = batch;
        lingers = lingerNs > 0;
    }

    /** Returns true if the open batch lingers. */
    boolean lingers() {
        return lingers;
    }

    /**
     * Returns how much longer the open batch, which must linger, may do so, in nanoseconds. Not positive if too long.
     */
    long remainingLingerNs(long nowNs) {
        return open.beganNs + lingerNs - nowNs;
    }

    /** Lets the open batch be sent. */
    void endLinger() {
        lingers = false;
    }

    /** Adds a future that is completed with the offset of the newest record. */
    void promise(CompletableFuture<Long> offset) {
        open.promise(offset);
    }

    /** Closes the open batch, if there is one. */
    void close() {
        ProducerBatch closed = open;
        if (closed == null) {
            return;
        }
        open = null;
        lingers = false;
        if (producerId >= 0) {
            builder.producer(producerId, (short) 0, (int) (closed.firstNumber & Integer.MAX_VALUE));
        }
        closed.length = builder.finish();
        closed.next = null;
        if (oldest == null) {
            oldest = closed;
        } else {
            newest.next = closed;
        }
        newest = closed;
        if (toSend == null) {
            toSend = closed;
        }
    }

    /** Returns the next batch if it may be sent now, otherwise null. */
    ProducerBatch nextToSend() {
        if (isPaused || underWay >= (isAccepted ? mostUnderWay : MOST_BEFORE_ACCEPTANCE)) {
            return null;
        }
        if (toSend == null && underWay < BUSY && !lingers) {
            close();
        }
        return toSend;
    }

    /** Records that the batch returned by {@link #nextToSend} has been sent. */
    void sent() {
        toSend.wasSent = true;
        toSend = toSend.next;
        underWay++;
    }

    /** Records that the given number of most recently sent batches never left this process. */
    void unsend(int count) {
        underWay -= count;
        if (isPaused) {
            return; // resume starts with the oldest batch
        }
        toSend = oldest;
        for (int i = 0; i < underWay; i++) {
            toSend = toSend.next;
        }
        ProducerBatch unsent = toSend;
        for (int i = 0; i < count; i++) {
            unsent.wasSent = false;
            unsent = unsent.next;
        }
    }

    /** Records that the result of a batch in flight has arrived. */
    void answered() {
        underWay--;
    }

    /** Removes and returns the oldest batch, which must have been sent, and whose records now count as sent. */
    ProducerBatch accepted() {
        isAccepted = true;
        return removeOldest();
    }

    private ProducerBatch removeOldest() {
        ProducerBatch removed = oldest;
        oldest = removed.next;
        if (oldest == null) {
            newest = null;
        }
        removed.next = null;
        return removed;
    }

    /** Stops sending until {@link #resume} is called. */
    void pause() {
        isPaused = true;
    }

    boolean isPaused() {
        return isPaused;
    }

    /** Returns true if batches are in flight. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Starts resending all batches in the queue, none of which has a result. */
    void resume() {
        isPaused = false;
        isAccepted = false;
        underWay = 0;
        toSend = oldest;
    }

    /**
     * Returns when the oldest unacknowledged record was added, as {@code System.nanoTime()}, or the given time if there
     * is no such record.
     */
    long oldestNs(long otherwise) {
        ProducerBatch first = oldest == null ? open : oldest;
        return first == null ? otherwise : first.beganNs;
    }

    /** Removes and returns the oldest batch, whether or not it has been sent, or returns null if there is none. */
    ProducerBatch removeAny() {
        close();
        return oldest == null ? null : removeOldest();
    }
}
