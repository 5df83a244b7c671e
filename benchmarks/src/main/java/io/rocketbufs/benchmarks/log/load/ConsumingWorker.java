package io.rocketbufs.benchmarks.log.load;

import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.IOException;

/**
 * A worker that reads a filled topic repeatedly, each time with a new consumer. Opening the consumer and its first poll
 * do not count.
 */
final class ConsumingWorker extends LoadWorker {
    private static final long TIMEOUT_MS = 10_000;
    private static final double SECOND_NS = 1e9;

    private final RecordCheck check;
    private long measured;
    private long measuredNs;
    private volatile long total;

    ConsumingWorker(LogClient client, LoadOptions options) {
        super(client, options);
        this.check = new RecordCheck(options.size());
    }

    @Override
    void open() throws IOException {
        consumer = client.consumer(options.topic(), options.fetch(), options.size(), LogClient.Start.EARLIEST);
        check.restart();
    }

    @Override
    void run(LoadWindow window) throws IOException {
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

    /** Reads the topic once, from its first record to its last. */
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
    long progress() {
        return total;
    }

    @Override
    double perSecond(double progressPerSecond) {
        return measured * SECOND_NS / measuredNs;
    }

    @Override
    long faults() {
        return check.faults();
    }
}
