package io.rocketbufs.rocketlog.client;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches whose records count as sent or have failed, in this order. One thread at a time reports them, without the
 * producer's lock.
 *
 * <p><i>Thread-safety:</i> any thread. Allocates nothing.
 */
final class CompletedBatches {
    private static final Logger LOG = LoggerFactory.getLogger(CompletedBatches.class);

    private final ProducerCallback callback;
    private final Consumer<ProducerBatch> release;
    private ProducerBatch first;
    private ProducerBatch last;
    /** Null until the producer fails; batches that are added later have failed, too. */
    private LogClientException failure;

    private boolean isFailureReported;
    private boolean isReporting;

    /** @param release takes back the memory of a batch that has been reported */
    CompletedBatches(ProducerCallback callback, Consumer<ProducerBatch> release) {
        this.callback = callback;
        this.release = release;
    }

    /** Adds a batch that counts as sent. */
    synchronized void add(ProducerBatch batch, long firstOffset) {
        batch.firstOffset = firstOffset;
        append(batch);
    }

    /** Adds a batch that has failed. */
    synchronized void addFailed(ProducerBatch batch) {
        batch.hasFailed = true;
        append(batch);
    }

    /** Notes that the producer has failed, after its batches have been added. */
    synchronized void fail(LogClientException cause) {
        failure = cause;
    }

    private void append(ProducerBatch batch) {
        batch.next = null;
        if (first == null) {
            first = batch;
        } else {
            last.next = batch;
        }
        last = batch;
    }

    /** Reports everything that has been added; or leaves it to the thread that is reporting. */
    void report() {
        synchronized (this) {
            if (isReporting) {
                return;
            }
            isReporting = true;
        }
        for (ProducerBatch batch = next(); batch != null; batch = next()) {
            try {
                report(batch);
            } catch (RuntimeException e) {
                LOG.error("The callback of a producer has failed", e);
            }
            release.accept(batch);
        }
        reportFailure();
    }

    private synchronized ProducerBatch next() {
        ProducerBatch batch = first;
        if (batch == null) {
            isReporting = false;
        } else {
            first = batch.next;
        }
        return batch;
    }

    private void report(ProducerBatch batch) {
        batch.keepPromises(batch.hasFailed ? failure() : null);
        if (!batch.hasFailed) {
            callback.onAcknowledged(batch.partition, batch.firstNumber, batch.count, batch.firstOffset);
        }
    }

    private synchronized LogClientException failure() {
        return failure;
    }

    private void reportFailure() {
        LogClientException cause;
        synchronized (this) {
            if (failure == null || isFailureReported) {
                return;
            }
            isFailureReported = true;
            cause = failure;
        }
        callback.onFailed(cause);
    }
}
