package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The acknowledgements received by a producer.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class Acknowledgements {
    private static final long LIMIT_NS = 30_000_000_000L;

    private final AtomicLong count = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile Thread waiter;
    private volatile String problem;
    private long lastNs;

    /** Counts records that the broker has acknowledged. */
    void add(int records) {
        Thread waiting = waiter;
        if (waiting != null) {
            lastNs = System.nanoTime();
        }
        count.addAndGet(records);
        LockSupport.unpark(waiting);
    }

    /** Counts a record that was refused. */
    void fail(String reason) {
        problem = reason;
        failed.incrementAndGet();
        LockSupport.unpark(waiter);
    }

    /** Ends the wait for acknowledgements, because the connection has ended. Has no effect if no thread is waiting. */
    void close(String reason) {
        problem = reason;
        LockSupport.unpark(waiter);
    }

    /** Announces that the calling thread will wait for acknowledgements. */
    void willAwait() {
        waiter = Thread.currentThread();
    }

    /**
     * Waits until the given number of records has been acknowledged.
     *
     * @return the {@code System.nanoTime()} at which the last acknowledgement arrived
     * @throws IOException if a record was refused or no acknowledgement arrives in time
     */
    long await(long wanted) throws IOException {
        long startNs = System.nanoTime();
        while (count.get() < wanted) {
            if (problem != null) {
                throw new IOException("a record was refused: " + problem);
            }
            if (System.nanoTime() - startNs > LIMIT_NS) {
                throw new IOException("record " + wanted + " was not acknowledged in 30 s");
            }
            LockSupport.parkNanos(this, LIMIT_NS);
        }
        return lastNs;
    }

    /** Returns the number of acknowledged records. */
    long count() {
        return count.get();
    }

    /** Returns the number of refused records. */
    long failed() {
        return failed.get();
    }
}
