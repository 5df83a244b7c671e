package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * A consumer that reads a filled topic again and again, each time with a new consumer. Opening it and its first poll do
 * not count.
 */
final class ConsumingWorker implements LoadWorker {
    private static final long TIMEOUT_MS = 10_000;
    private static final double SECOND_NS = 1e9;

    private final Histogram times = LoadTimes.histogram();
    private final LogClient client;
    private final LoadOptions options;
    private final RecordCheck check;
    private LogClient.Consumer consumer;
    private long measured;
    private long measuredNs;
    private volatile long total;

    ConsumingWorker(LogClient client, LoadOptions options) {
        this.client = client;
        this.options = options;
        this.check = new RecordCheck(options.size());
    }

    @Override
    public void open() throws IOException {
        consumer = client.consumer(options.topic(), options.fetch(), options.size(), LogClient.Start.EARLIEST);
        check.restart();
    }

    @Override
    public void run(LoadWindow window) throws IOException {
        pass(window);
        while (!window.isOver()) {
            consumer.close();
            open();
            pass(window);
        }
        if (measured == 0) {
            throw new IOException(
                    "no poll of the topic " + options.topic() + " has ended in the time of the measurement");
        }
    }

    /** Reads the topic once, from its first record to the last. */
    private void pass(LoadWindow window) throws IOException {
        poll();
        while (check.next() < options.records() && !window.isOver()) {
            boolean counts = window.isOpen();
            long startNs = System.nanoTime();
            int count = poll();
            long durationNs = System.nanoTime() - startNs;
            if (counts) {
                measured += count;
                measuredNs += durationNs;
                times.recordValue(durationNs);
            }
        }
        if (check.next() > options.records()) {
            check.miss(check.next() - options.records());
        }
    }

    private int poll() throws IOException {
        int count = consumer.poll(TIMEOUT_MS, check);
        if (count == 0) {
            throw new IOException("record " + check.next() + " of " + options.records() + " in the topic "
                    + options.topic() + " did not arrive in " + TIMEOUT_MS + " ms");
        }
        total += count;
        return count;
    }

    @Override
    public long progress() {
        return total;
    }

    @Override
    public double perSecond(double progressPerSecond) {
        return measured * SECOND_NS / measuredNs;
    }

    @Override
    public Histogram times() {
        return times;
    }

    @Override
    public long faults() {
        return check.faults();
    }

    @Override
    public void close() {
        if (consumer != null) {
            consumer.close();
        }
    }
}
