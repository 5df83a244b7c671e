package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** A producer, which waits for each acknowledgement or only for space. */
final class ProducingWorker implements LoadWorker {
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final Histogram times = LoadTimes.histogram();
    private final LogClient client;
    private final LoadOptions options;
    private final boolean oneByOne;
    private LogClient.Producer producer;
    private long sent;

    /**
     * Creates a worker.
     *
     * @param oneByOne whether a record is sent only when the one before it has been acknowledged
     */
    ProducingWorker(LogClient client, LoadOptions options, boolean oneByOne) {
        this.client = client;
        this.options = options;
        this.oneByOne = oneByOne;
    }

    @Override
    public void open() throws IOException {
        producer = client.producer(options.topic(), options.batch(), options.size(), acknowledgements);
    }

    @Override
    public void run(LoadWindow window) throws IOException, InterruptedException {
        byte[] value = new byte[options.size()];
        if (oneByOne) {
            acknowledgements.willAwait();
        }
        while (!window.isOver()) {
            RecordCheck.write(value, sent);
            long startNs = System.nanoTime();
            producer.send(value);
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

    @Override
    public long progress() {
        return acknowledgements.count();
    }

    @Override
    public Histogram times() {
        return times;
    }

    @Override
    public long sent() {
        return sent;
    }

    @Override
    public long faults() {
        return acknowledgements.failed() + Math.abs(sent - acknowledgements.failed() - acknowledgements.count());
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
    }
}
