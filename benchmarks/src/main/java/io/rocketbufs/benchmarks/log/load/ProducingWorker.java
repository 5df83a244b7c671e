package io.rocketbufs.benchmarks.log.load;

import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** A producer that waits for each acknowledgement, or only for space. */
final class ProducingWorker extends LoadWorker {
    private static final double SECOND_NS = 1e9;
    /** Pause in ns of a producer with a fixed rate. Records that are due after the pause are sent together. */
    private static final long PAUSE_NS = 200_000;

    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final boolean oneByOne;
    private long sent;
    private int partition;

    /**
     * Creates a worker.
     *
     * @param oneByOne whether a record is sent only when the previous record has been acknowledged
     */
    ProducingWorker(LogClient client, LoadOptions options, boolean oneByOne) {
        super(client, options);
        this.oneByOne = oneByOne;
    }

    @Override
    void open() throws IOException {
        producer = client.producer(options.topic(), options.batch(), options.size(), acknowledgements);
    }

    @Override
    void run(LoadWindow window) throws IOException, InterruptedException {
        byte[] value = new byte[options.size()];
        if (oneByOne) {
            acknowledgements.willAwait();
        }
        long beginNs = System.nanoTime();
        while (!window.isOver()) {
            if (options.rate() > 0 && isAhead(beginNs)) {
                LockSupport.parkNanos(PAUSE_NS);
                continue;
            }
            RecordCheck.write(value, sent);
            long startNs = System.nanoTime();
            producer.send(partition, value);
            partition = partition + 1 == options.partitions() ? 0 : partition + 1;
            sent++;
            if (oneByOne) {
                long endNs = acknowledgements.await(sent);
                if (window.isOpen()) {
                    times.recordValue(endNs - startNs);
                }
            }
        }
        producer.flush();
    }

    /** Returns whether the next record is not due yet. */
    private boolean isAhead(long beginNs) {
        return sent * SECOND_NS > (System.nanoTime() - beginNs) * options.rate();
    }

    @Override
    long progress() {
        return acknowledgements.count();
    }

    @Override
    long sent() {
        return sent;
    }

    @Override
    long faults() {
        return acknowledgements.failed() + Math.abs(sent - acknowledgements.failed() - acknowledgements.count());
    }
}
