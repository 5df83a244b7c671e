package io.rocketbufs.benchmarks.log.load;

import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.IOException;

/**
 * A worker with a producer and a consumer of one topic. It sends a record when the previous record has been consumed.
 */
final class EndToEndWorker extends LoadWorker {
    private static final long TIMEOUT_MS = 10_000;

    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final RecordCheck check;
    private volatile long sent;

    EndToEndWorker(LogClient client, LoadOptions options) {
        super(client, options);
        this.check = new RecordCheck(options.size());
    }

    @Override
    void open() throws IOException {
        consumer = client.consumer(options.topic(), options.fetch(), options.size(), LogClient.Start.LATEST);
        producer = client.producer(options.topic(), options.batch(), options.size(), acknowledgements);
    }

    @Override
    void run(LoadWindow window) throws IOException, InterruptedException {
        byte[] value = new byte[options.size()];
        while (!window.isOver()) {
            RecordCheck.write(value, sent);
            long startNs = System.nanoTime();
            producer.send(0, value);
            while (check.next() <= sent) {
                if (consumer.poll(TIMEOUT_MS, check) == 0) {
                    throw new IOException("record " + sent + " in the topic " + options.topic() + " did not arrive in "
                            + TIMEOUT_MS + " ms");
                }
            }
            if (window.isOpen()) {
                times.recordValue(System.nanoTime() - startNs);
            }
            sent = sent + 1;
        }
        producer.flush();
    }

    @Override
    long progress() {
        return sent;
    }

    @Override
    long sent() {
        return sent;
    }

    @Override
    long faults() {
        return check.faults() + Math.abs(sent - check.next()) + acknowledgements.failed();
    }
}
