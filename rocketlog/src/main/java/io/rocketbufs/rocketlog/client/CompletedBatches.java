package io.rocketbufs.rocketlog.client;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches whose records count as sent or have failed, in the order in which they must be reported. One thread at a
 * time reports batches to the callback, without holding the producer's lock.
 *
 * <p><i>Thread-safety:</i> any thread. Allocates no memory.
 */
final class CompletedBatches {
    private static final Logger LOG = LoggerFactory.getLogger(CompletedBatches.class);

    private final ProducerCallback callback;
    private final Consumer<ProducerBatch> release;
    /** Written with the lock, and also read without it, so that {@link #report} needs no lock if there is no batch. */
    private volatile ProducerBatch first;

    private ProducerBatch last;
    /** The producer's failure; null if there is none, or if it has been reported. Read and written like the above. */
    private volatile LogClientException failure;

    private boolean isReporting;

    /** @param release called to release the memory of a reported batch */
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
    synchronized void addFailed(ProducerBatch batch, LogClientException cause) {
        batch.failure = cause;
        append(batch);
    }

    /** Records the producer's failure. Called once, after the failed batches have been added. */
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

    /**
     * Reports all batches that have been added, and the failure. If another thread is already reporting, leaves the
     * reporting to that thread. Producers call this method for each record.
     */
    void report() {
        if (first == null && failure == null) {
            return;
        }
        synchronized (this) {
            if (isReporting) {
                return;
            }
            isReporting = true;
        }
        for (ProducerBatch batch = next(); batch != null; batch = next()) {
            try {
                report(batch);
            } catch (RuntimeException | Error e) {
                logFailedCallback(e);
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
        batch.keepPromises();
        if (batch.failure == null) {
            callback.onAcknowledged(batch.partition, batch.firstNumber, batch.count, batch.firstOffset);
        }
    }

    private void reportFailure() {
        LogClientException cause = takeFailure();
        if (cause == null) {
            return;
        }
        try {
            callback.onFailed(cause);
        } catch (RuntimeException | Error e) {
            logFailedCallback(e);
        }
    }

    /**
     * Logs an exception that the callback has thrown. Such an exception must not keep later batches from being reported
     * and released.
     */
    private static void logFailedCallback(Throwable cause) {
        LOG.error("A producer's callback failed", cause);
    }

    private synchronized LogClientException takeFailure() {
        if (isReporting) {
            return null; // the reporting thread also reports the failure, after the batches
        }
        LogClientException cause = failure;
        failure = null;
        return cause;
    }
}
