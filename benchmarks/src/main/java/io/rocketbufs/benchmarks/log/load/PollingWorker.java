package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** A consumer that has read everything, and asks for more at once. */
final class PollingWorker implements LoadWorker {
    private final Histogram times = LoadTimes.histogram();
    private final LogClient client;
    private final LoadOptions options;
    private final RecordCheck check;
    private LogClient.Consumer consumer;
    private long records;
    private volatile long polls;

    PollingWorker(LogClient client, LoadOptions options) {
        this.client = client;
        this.options = options;
        this.check = new RecordCheck(options.size());
    }

    @Override
    public void open() throws IOException {
        consumer = client.consumer(
                options.topic(), options.fetch(), options.size(), LogClient.Start.LATEST_WITHOUT_WAITING);
    }

    @Override
    public void run(LoadWindow window) throws IOException {
        while (!window.isOver()) {
            records += consumer.poll(consumer.emptyPollTimeoutMs(), check);
            polls = consumer.polls();
        }
    }

    @Override
    public long progress() {
        return polls;
    }

    @Override
    public Histogram times() {
        return times;
    }

    @Override
    public long faults() {
        return records; // of an empty topic
    }

    @Override
    public void close() {
        if (consumer != null) {
            consumer.close();
        }
    }
}
