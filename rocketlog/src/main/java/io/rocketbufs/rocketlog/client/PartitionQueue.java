package io.rocketbufs.rocketlog.client;

import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * The batches of one partition that have not been acknowledged, in the order of their records.
 *
 * <pre>
 *   oldest                    to send                 newest        open
 *     |--- sent, no result yet ---|--- closed, not sent ---|          | records are added here
 * </pre>
 *
 * <p>Batching never delays records: the open batch is closed and sent immediately if fewer than two batches are in
 * flight. Otherwise, records accumulate in it until a result arrives or it is full.
 *
 * <p><i>Thread-safety:</i> guarded by the producer. <i>Source:</i> FastPS, section 2.1: low latency and high throughput
 * without a setting to tune.
 */
final class PartitionQueue {
    /**
     * The log accepts any sequence number from a producer that it does not know, and could then not accept an earlier
     * batch for which it had no space. Therefore, only this many batches are in flight until the log has accepted one,
     * both at the beginning and whenever batches are resent.
     */
    private static final int MOST_BEFORE_ACCEPTANCE = 1;
    /** With this many batches in flight, the network and the broker are busy, so records accumulate. */
    private static final int BUSY = 2;

    private final int number;
    private final long producerId;
    private final int mostUnderWay;
    private final BatchBuilder builder = new BatchBuilder();
    private ProducerBatch oldest;
    private ProducerBatch toSend;
    private ProducerBatch newest;
    private ProducerBatch open;
    private long recordCount;
    private int underWay;
    /** True if the log has accepted a batch since {@link #resume}, and therefore knows the producer. */
    private boolean isAccepted;

    private boolean isPaused;
    /** True while the queue is in the producer's list of queues that wait for space in the buffer. */
    boolean isStalled;

    /**
     * Creates an empty queue.
     *
     * @param producerId -1 if batches are never resent and need no sequence number
     * @param mostUnderWay maximum number of batches without a result; the log recognizes any number of resent ones
     */
    PartitionQueue(int number, long producerId, int mostUnderWay) {
        this.number = number;
        this.producerId = producerId;
        this.mostUnderWay = mostUnderWay;
    }

    int number() {
        return number;
    }

    /** Adds a record to the open batch. Returns the record's number, or -1 if it does not fit or no batch is open. */
    long add(long timestamp, ByteBuffer key, ByteBuffer value) {
        if (open == null || !builder.add(timestamp, key, value)) {
            return -1;
        }
        open.count = builder.count();
        return recordCount++;
    }

    /**
     * Opens a batch, after closing the previous one.
     *
     * @param longest maximum number of bytes of the batch's memory to use
     */
    void open(ProducerBatch batch, int longest) {
        close();
        batch.partition = number;
        batch.firstNumber = recordCount;
        batch.beganNs = System.nanoTime();
        batch.count = 0;
        batch.failure = null;
        batch.wasSent = false;
        builder.begin(batch.memory.clear().limit(Math.min(batch.memory.capacity(), longest)));
        open = batch;
    }

    /** Adds a future for the newest record. */
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

    /** Returns the batch to send now, or null if there is none. */
    ProducerBatch nextToSend() {
        if (isPaused || underWay >= (isAccepted ? mostUnderWay : MOST_BEFORE_ACCEPTANCE)) {
            return null;
        }
        if (toSend == null && underWay < BUSY) {
            close();
        }
        return toSend;
    }

    /** Records that the batch of {@link #nextToSend} has been sent. */
    void sent() {
        toSend.wasSent = true;
        toSend = toSend.next;
        underWay++;
    }

    /** Records that the last batches sent never left this program. */
    void unsend(int count) {
        underWay -= count;
        if (isPaused) {
            return; // resume begins with the oldest batch
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

    /** Records that a result has arrived or will never arrive. */
    void answered() {
        underWay--;
    }

    /** Removes the oldest batch, which must have been sent and now counts as sent. */
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

    /** Sends nothing until {@link #resume}. */
    void pause() {
        isPaused = true;
    }

    boolean isPaused() {
        return isPaused;
    }

    /** Returns true if results of sent batches are missing. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Begins to resend all batches, none of which has a result. */
    void resume() {
        isPaused = false;
        isAccepted = false;
        underWay = 0;
        toSend = oldest;
    }

    /**
     * Returns the {@code System.nanoTime()} when the oldest unacknowledged record was added, or the given time if there
     * is none.
     */
    long oldestNs(long otherwise) {
        ProducerBatch first = oldest == null ? open : oldest;
        return first == null ? otherwise : first.beganNs;
    }

    /** Removes and returns the oldest batch, sent or not; returns null if there is none. */
    ProducerBatch removeAny() {
        close();
        return oldest == null ? null : removeOldest();
    }
}
