package io.rocketbufs.benchmarks.log.load;

import io.rocketbufs.benchmarks.compare.LoadWindow;
import java.io.IOException;

/** A consumer that has read all records and immediately requests more. */
final class PollingWorker extends LoadWorker {
    private final RecordCheck check;
    private long records;
    private volatile long polls;

    PollingWorker(LogClient client, LoadOptions options) {
        super(client, options);
        this.check = new RecordCheck(options.size());
    }

    @Override
    void open() throws IOException {
        consumer = client.consumer(
                options.topic(), options.fetch(), options.size(), LogClient.Start.LATEST_WITHOUT_WAITING);
    }

    @Override
    void run(LoadWindow window) throws IOException {
        while (!window.isOver()) {
            records += consumer.poll(consumer.emptyPollTimeoutMs(), check);
            polls = consumer.polls();
        }
    }

    @Override
    long progress() {
        return polls;
    }

    @Override
    long faults() {
        return records; // the topic is empty, so every record is a fault
    }
}
