package io.rocketbufs.benchmarks.log.load;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * NATS's client library with JetStream. A topic is a stream with one subject. The server acknowledges every record
 * individually, so there are no batches. Consumers pull records and do not acknowledge them.
 */
final class JetStreamClient implements LogClient {
    /** Maximum number of unacknowledged records. */
    private static final int WINDOW = 4096;
    /** Maximum number of unacknowledged bytes. */
    private static final int WINDOW_BYTES = 32 << 20;

    private final Connection connection;

    private JetStreamClient(Connection connection) {
        this.connection = connection;
    }

    /** Connects to the server at HOST:PORT. */
    static JetStreamClient connect(String address) throws IOException, InterruptedException {
        // The library's default limits the queue to 5,000 messages. This client uses the window as its limit instead.
        Options options = Options.builder()
                .server("nats://" + address)
                .maxMessagesInOutgoingQueue(0)
                .build();
        return new JetStreamClient(Nats.connect(options));
    }

    @Override
    public void create(String topic, int partitions) throws IOException {
        StreamConfiguration stream = StreamConfiguration.builder()
                .name(topic)
                .subjects(topic)
                .storageType(StorageType.File)
                .maxBytes(LoadOptions.RETENTION_LENGTH)
                .build();
        try {
            connection.jetStreamManagement().addStream(stream);
        } catch (JetStreamApiException e) {
            throw new IOException("JetStream does not create the stream " + topic + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) throws IOException {
        int window = Math.max(1, Math.min(WINDOW, WINDOW_BYTES / size));
        return new StreamProducer(connection.jetStream(), topic, window, acknowledgements);
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) throws IOException {
        PullSubscribeOptions options = ConsumerConfiguration.builder()
                .deliverPolicy(start == Start.EARLIEST ? DeliverPolicy.All : DeliverPolicy.New)
                .ackPolicy(AckPolicy.None)
                .buildPullSubscribeOptions();
        try {
            return new StreamConsumer(connection.jetStream().subscribe(topic, options), Math.max(1, fetch / size));
        } catch (JetStreamApiException e) {
            throw new IOException("JetStream does not create a consumer of " + topic + ": " + e.getMessage(), e);
        }
    }

    @Override
    public long count(String topic, int partitions) throws IOException {
        try {
            return connection
                    .jetStreamManagement()
                    .getStreamInfo(topic)
                    .getStreamState()
                    .getLastSequence();
        } catch (JetStreamApiException e) {
            throw new IOException("JetStream does not describe the stream " + topic + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class StreamProducer implements Producer {
        private final JetStream stream;
        private final String subject;
        private final int window;
        private final Semaphore free;
        private final Acknowledgements acknowledgements;

        StreamProducer(JetStream stream, String subject, int window, Acknowledgements acknowledgements) {
            this.stream = stream;
            this.subject = subject;
            this.window = window;
            this.free = new Semaphore(window);
            this.acknowledgements = acknowledgements;
        }

        @Override
        public void send(int partition, byte[] value) throws InterruptedException {
            free.acquire();
            // The array is copied because the library writes it later.
            stream.publishAsync(subject, value.clone()).whenComplete((answer, failure) -> {
                if (failure == null) {
                    acknowledgements.add(1);
                } else {
                    acknowledgements.fail(failure.toString());
                }
                free.release();
            });
        }

        @Override
        public void flush() {
            free.acquireUninterruptibly(window);
            free.release(window);
        }

        @Override
        public void close() {
            // Nothing to close: the connection belongs to the client.
        }
    }

    private static final class StreamConsumer implements Consumer {
        private final JetStreamSubscription subscription;
        private final int batch;
        private int requested;
        private long polls;

        StreamConsumer(JetStreamSubscription subscription, int batch) {
            this.subscription = subscription;
            this.batch = batch;
        }

        @Override
        public int poll(long timeoutMs, RecordCheck check) throws IOException {
            if (requested == 0) {
                subscription.pull(batch);
                requested = batch;
                polls++;
            }
            Message message = next(timeoutMs);
            if (message == null) {
                return 0;
            }
            requested--;
            check.accept(ByteBuffer.wrap(message.getData()));
            return 1;
        }

        private Message next(long timeoutMs) throws IOException {
            try {
                return subscription.nextMessage(Duration.ofMillis(timeoutMs));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while reading", e);
            }
        }

        @Override
        public long polls() {
            return polls;
        }

        @Override
        public void close() {
            subscription.unsubscribe();
        }
    }
}
