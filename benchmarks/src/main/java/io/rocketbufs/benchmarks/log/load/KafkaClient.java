package io.rocketbufs.benchmarks.log.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka's client library. Producers wait only for the leader ({@code acks=1}) and are not idempotent, because
 * idempotence requires {@code acks=all}.
 */
final class KafkaClient implements LogClient {
    private static final long EMPTY_POLL_MS = 10;

    private final Map<String, Object> common;

    /**
     * Creates a client.
     *
     * @param address HOST:PORT of the broker
     */
    KafkaClient(String address) {
        common = Map.of("bootstrap.servers", address);
    }

    @Override
    public void create(String topic, int partitions) throws IOException, InterruptedException {
        try (Admin admin = Admin.create(common)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IOException("Kafka does not create the topic " + topic + ": " + e.getCause(), e);
            }
        }
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) {
        Map<String, Object> options = new HashMap<>(common);
        options.put("acks", "1");
        options.put("enable.idempotence", "false");
        options.put("batch.size", batch);
        options.put("max.request.size", Math.max(2 * batch, 1 << 20));
        if (batch == 0) {
            options.put("linger.ms", 0);
            options.put("buffer.memory", UNBATCHED_MEMORY);
        }
        options.put("key.serializer", ByteArraySerializer.class);
        options.put("value.serializer", ByteArraySerializer.class);
        return new RecordProducer(new KafkaProducer<>(options), topic, acknowledgements);
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) {
        Map<String, Object> options = new HashMap<>(common);
        options.put("max.partition.fetch.bytes", fetch);
        options.put("fetch.max.bytes", fetch);
        options.put("auto.offset.reset", start == Start.EARLIEST ? "earliest" : "latest");
        options.put("enable.auto.commit", false);
        if (start == Start.LATEST_WITHOUT_WAITING) {
            options.put("fetch.max.wait.ms", 0);
        }
        options.put("key.deserializer", ByteArrayDeserializer.class);
        options.put("value.deserializer", ByteArrayDeserializer.class);
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options);
        TopicPartition partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
        consumer.position(partition); // resolves the start position immediately
        return new RecordConsumer(consumer);
    }

    @Override
    public long count(String topic, int partitions) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(i -> new TopicPartition(topic, i))
                .toList();
        Map<String, Object> options = new HashMap<>(common);
        options.put("key.deserializer", ByteArrayDeserializer.class);
        options.put("value.deserializer", ByteArrayDeserializer.class);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options)) {
            return consumer.endOffsets(all).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    @Override
    public void close() {
        // Nothing to close: producers and consumers have their own connections.
    }

    private static final class RecordProducer implements Producer {
        private final KafkaProducer<byte[], byte[]> producer;
        private final String topic;
        private final Callback callback;

        RecordProducer(KafkaProducer<byte[], byte[]> producer, String topic, Acknowledgements acknowledgements) {
            this.producer = producer;
            this.topic = topic;
            this.callback = (metadata, failure) -> {
                if (failure == null) {
                    acknowledgements.add(1);
                } else {
                    acknowledgements.fail(failure.toString());
                }
            };
        }

        @Override
        public void send(int partition, byte[] value) throws IOException {
            try {
                producer.send(new ProducerRecord<>(topic, partition, null, value), callback);
            } catch (KafkaException e) {
                throw new IOException(e);
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
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Metric fetches;

        RecordConsumer(KafkaConsumer<byte[], byte[]> consumer) {
            this.consumer = consumer;
            this.fetches = consumer.metrics().values().stream()
                    .filter(RecordConsumer::countsFetches)
                    .map(Metric.class::cast)
                    .findFirst()
                    .orElseThrow();
        }

        private static boolean countsFetches(Metric metric) {
            return metric.metricName().name().equals("fetch-total")
                    && metric.metricName().group().equals("consumer-fetch-manager-metrics")
                    && metric.metricName().tags().size() == 1;
        }

        @Override
        public int poll(long timeoutMs, RecordCheck check) {
            int count = 0;
            for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(timeoutMs))) {
                check.accept(each.value() == null ? null : ByteBuffer.wrap(each.value()));
                count++;
            }
            return count;
        }

        @Override
        public long emptyPollTimeoutMs() {
            return EMPTY_POLL_MS;
        }

        /** Returns the number of fetches. The library sends several fetches during one poll. */
        @Override
        public long polls() {
            return ((Number) fetches.metricValue()).longValue();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
