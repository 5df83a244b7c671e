package io.rocketbufs.benchmarks.log.load;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** rocketlog's client library. */
final class RocketlogClient implements LogClient {
    /** Length in bytes of a batch with one short record. It is the minimum that a producer's configuration allows. */
    private static final int SHORTEST = 1024;
    /**
     * Additional length of a batch in bytes. A batch longer than one record by this length has no space for a second
     * record.
     */
    private static final int OVERHEAD = 100;

    /**
     * Maximum number of partitions that one consumer reads in this program. The broker's default settings allow 256.
     */
    private static final int MOST_PARTITIONS = 200;

    /** The default of Kafka's {@code linger.ms}. */
    private static final String KAFKAS_LINGER = "5 ms";

    private final String address;
    private final String settings;
    private final long capacity;
    private final RocketBufs rocketBufs;

    /**
     * Creates a client.
     *
     * @param address HOST:PORT of the broker
     * @param settings additional settings, in the syntax of the configuration file
     * @param capacity capacity in bytes of topics in the broker's memory; 0 if topics are on the broker's disk
     */
    RocketlogClient(String address, String settings, long capacity) {
        this.address = address;
        this.settings = settings;
        this.capacity = capacity;
        this.rocketBufs = RocketBufs.open(config(""));
    }

    private Config config(String more) {
        return ConfigFactory.parseString("rocketlog.client.broker = \"" + address + "\"\n" + settings + "\n" + more)
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    private LogClientSettings settings(String more) {
        return LogClientSettings.from(config(more));
    }

    @Override
    public void create(String topic, int partitions) {
        try (TopicClient topics = TopicClient.connect(rocketBufs, settings(""))) {
            if (capacity > 0) {
                topics.createInMemory(topic, partitions, capacity);
            } else {
                topics.create(topic, partitions);
            }
        }
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) {
        int length = batch == 0 ? Math.max(SHORTEST, size + OVERHEAD) : batch;
        String overrides = batch == 0
                ? "\nrocketlog.producer.memory = " + UNBATCHED_MEMORY
                : "\nrocketlog.producer.linger = " + KAFKAS_LINGER;
        return new RecordProducer(
                rocketBufs, settings("rocketlog.producer.batch = " + length + overrides), topic, acknowledgements);
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) {
        LogClientSettings with = settings("rocketlog.consumer.fetch = " + Math.max(SHORTEST, fetch));
        ConsumerStart from = start == Start.EARLIEST ? ConsumerStart.EARLIEST : ConsumerStart.LATEST;
        return new RecordConsumer(LogConsumer.open(rocketBufs, with, topic, ConsumerOptions.from(from)));
    }

    @Override
    public long count(String topic, int partitions) {
        long count = 0;
        for (int first = 0; first < partitions; first += MOST_PARTITIONS) {
            count += count(topic, first, Math.min(partitions, first + MOST_PARTITIONS));
        }
        return count;
    }

    private long count(String topic, int first, int end) {
        ConsumerOptions options = ConsumerOptions.DEFAULTS;
        for (int partition = first; partition < end; partition++) {
            options = options.withPartition(partition, ConsumerStart.LATEST);
        }
        try (LogConsumer consumer = LogConsumer.open(rocketBufs, settings(""), topic, options)) {
            return IntStream.range(first, end).mapToLong(consumer::endOffset).sum();
        }
    }

    @Override
    public long present(String topic) {
        try (TopicClient topics = TopicClient.connect(rocketBufs, settings(""))) {
            return topics.state(topic).partitions().stream()
                    .mapToLong(partition -> partition.nextOffset() - partition.firstOffset())
                    .sum();
        }
    }

    @Override
    public void close() {
        rocketBufs.close();
    }

    private static final class RecordProducer implements Producer, ProducerCallback {
        private final Acknowledgements acknowledgements;
        private final LogProducer producer;

        RecordProducer(
                RocketBufs rocketBufs, LogClientSettings settings, String topic, Acknowledgements acknowledgements) {
            this.acknowledgements = acknowledgements;
            this.producer = LogProducer.open(rocketBufs, settings, topic, this);
        }

        @Override
        public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
            acknowledgements.add(count);
        }

        @Override
        public void onFailed(LogClientException cause) {
            acknowledgements.fail(cause.getMessage());
        }

        @Override
        public void send(int partition, byte[] value) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(value);
            long number = producer.send(partition, null, bytes);
            while (number == LogProducer.NO_SPACE) {
                producer.awaitSpace();
                number = producer.send(partition, null, bytes);
            }
            if (number == LogProducer.CLOSED) {
                throw new IOException(producer.failure());
            }
        }

        @Override
        public void flush() {
            producer.flush();
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    private static final class RecordConsumer implements Consumer {
        private final LogConsumer consumer;
        private long polls;

        RecordConsumer(LogConsumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public int poll(long timeoutMs, RecordCheck check) {
            polls++;
            return consumer.poll(timeoutMs, (partition, offset, timestamp, key, value) -> {
                check.accept(value);
                return true;
            });
        }

        @Override
        public long polls() {
            return polls;
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
