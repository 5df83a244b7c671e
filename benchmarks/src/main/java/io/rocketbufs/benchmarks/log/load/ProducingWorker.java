package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;

/** A producer, which waits for each acknowledgement or only for space. */
final class ProducingWorker extends LoadWorker {
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final boolean oneByOne;
    private long sent;

    /**
     * Creates a worker.
     *
     * @param oneByOne whether a record is sent only when the one before it has been acknowledged
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
