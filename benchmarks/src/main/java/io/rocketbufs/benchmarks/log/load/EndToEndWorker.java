package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** A producer and a consumer of one topic. A record is sent when the one before it has been consumed. */
final class EndToEndWorker implements LoadWorker {
    private static final long TIMEOUT_MS = 10_000;

    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final Histogram times = LoadTimes.histogram();
    private final LogClient client;
    private final LoadOptions options;
    private final RecordCheck check;
    private LogClient.Producer producer;
    private LogClient.Consumer consumer;
    private volatile long sent;

    EndToEndWorker(LogClient client, LoadOptions options) {
        this.client = client;
        this.options = options;
        this.check = new RecordCheck(options.size());
    }

    @Override
    public void open() throws IOException {
        consumer = client.consumer(options.topic(), options.fetch(), options.size(), LogClient.Start.LATEST);
        producer = client.producer(options.topic(), options.batch(), options.size(), acknowledgements);
    }

    @Override
    public void run(LoadWindow window) throws IOException, InterruptedException {
        byte[] value = new byte[options.size()];
        while (!window.isOver()) {
            RecordCheck.write(value, sent);
            long startNs = System.nanoTime();
            producer.send(value);
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
    public long progress() {
        return sent;
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
        return check.faults() + Math.abs(sent - check.next()) + acknowledgements.failed();
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close();
        }
        if (consumer != null) {
            consumer.close();
        }
    }
}
