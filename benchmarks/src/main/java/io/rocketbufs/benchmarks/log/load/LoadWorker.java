package io.rocketbufs.benchmarks.log.load;

import java.io.Closeable;
import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * One client of a workload, with a thread.
 *
 * <p><b>Thread-safety:</b> {@link #run} on one thread; the other methods after it, except where stated.
 */
interface LoadWorker extends Closeable {
    /** Connects, and does all that does not belong to the measurement. */
    void open() throws IOException, InterruptedException;

    /** Works until the window is over. */
    void run(LoadWindow window) throws IOException, InterruptedException;

    /** Returns the number of records or polls so far. Any thread may call this. */
    long progress();

    /** Returns the records per second of the window; by default, given the progress per second of the whole window. */
    default double perSecond(double progressPerSecond) {
        return progressPerSecond;
    }

    /** Returns the measured times in nanoseconds; empty if the workload measures none. */
    Histogram times();

    /** Returns the number of records that this worker has sent. */
    default long sent() {
        return 0;
    }

    /** Returns the number of records that were lost, duplicated, out of order or damaged. */
    long faults();

    @Override
    void close();
}
