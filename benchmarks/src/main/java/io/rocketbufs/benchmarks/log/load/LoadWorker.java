package io.rocketbufs.benchmarks.log.load;

import io.rocketbufs.benchmarks.compare.LoadTimes;
import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.Closeable;
import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * One client of a workload, with its own thread.
 *
 * <p><b>Thread-safety:</b> {@link #run} is called on one thread; the other methods must be called after it, except
 * where stated.
 */
abstract class LoadWorker implements Closeable {
    final LogClient client;
    final LoadOptions options;
    /** The measured times in nanoseconds; empty if the workload measures no times. */
    final Histogram times = LoadTimes.histogram();
    /** Null if this worker has no producer, or is not open. */
    LogClient.Producer producer;
    /** Null if this worker has no consumer, or is not open. */
    LogClient.Consumer consumer;

    LoadWorker(LogClient client, LoadOptions options) {
        this.client = client;
        this.options = options;
    }

    /** Connects, and performs all work that is not part of the measurement. */
    abstract void open() throws IOException, InterruptedException;

    /** Works until the window is over. */
    abstract void run(LoadWindow window) throws IOException, InterruptedException;

    /** Returns the number of records or polls so far. Any thread may call this method. */
    abstract long progress();

    /**
     * Returns the number of records per second in the window. By default, this is the given progress per second in the
     * window.
     */
    double perSecond(double progressPerSecond) {
        return progressPerSecond;
    }

    /** Returns the number of records that this worker has sent. */
    long sent() {
        return 0;
    }

    /** Returns the number of records that were lost, duplicated, out of order or damaged. */
    abstract long faults();

    @Override
    public final void close() {
        if (producer != null) {
            producer.close();
        }
        if (consumer != null) {
            consumer.close();
        }
    }
}
