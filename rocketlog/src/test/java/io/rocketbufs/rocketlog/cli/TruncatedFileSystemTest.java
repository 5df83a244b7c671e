package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a log file that another program truncates while clients use it as memory. */
@Tag("once")
@Timeout(600)
final class TruncatedFileSystemTest {
    private static final String[] SETTINGS = {
        "rocketbufs.rdma.provider=tcp",
        "rocketlog.flush-interval=100 ms",
        "rocketlog.segment-length=1 MiB",
        "rocketlog.batch.longest=64 KiB",
        "rocketlog.produce.direct.topics=[\"*\"]"
    };

    @TempDir
    Path folder;

    private Path directory;
    private BrokerProcess broker;

    private void startBroker(String transport) throws IOException {
        directory = folder.resolve("data");
        String[] settings = Arrays.copyOf(SETTINGS, SETTINGS.length + 1);
        settings[SETTINGS.length] = over(transport);
        broker = BrokerProcess.start(directory, 0, settings);
    }

    @AfterEach
    void close() {
        if (broker != null) { // null if the test was skipped
            broker.close();
        }
    }

    private static String over(String transport) {
        return "rocketbufs.transport=" + transport;
    }

    private static long append(LogProducer producer, int partition) throws Exception {
        return producer.append(
                        partition, null, ByteBuffer.wrap("x".repeat(10_000).getBytes(US_ASCII)))
                .get(60, TimeUnit.SECONDS);
    }

    private static int read(LogConsumer consumer) {
        return consumer.poll(100, (partition, offset, timestamp, key, value) -> true);
    }

    /**
     * Reads until the broker refuses the segment. Until then, the consumer may read bytes that do not belong to the
     * segment.
     */
    private static LogClientException failure(LogConsumer victim) {
        try (victim) {
            while (true) {
                try {
                    assertThat(read(victim)).isZero();
                } catch (LogClientException e) {
                    if (e.code() != LogClientException.Code.DAMAGED) {
                        return e;
                    }
                }
            }
        }
    }

    /**
     * Connects a client. Retries, because the JVM may report the memory fault late, during the handshake of another
     * connection of the same worker.
     */
    private static <T> T connected(Supplier<T> connect) {
        return await().ignoreExceptionsInstanceOf(TransportException.class).until(connect::get, opened -> true);
    }

    private LogProducer producer(RocketBufs rocketBufs, String... settings) {
        return connected(() ->
                LogProducer.open(rocketBufs, broker.settings(directory, settings), "orders", ProducerCallback.NONE));
    }

    private LogConsumer consumer(RocketBufs rocketBufs, int partition) {
        return connected(() -> LogConsumer.open(
                rocketBufs,
                broker.settings(directory),
                "orders",
                ConsumerOptions.DEFAULTS.withPartition(partition, ConsumerStart.EARLIEST)));
    }

    private void truncate() throws IOException {
        Path file = directory.resolve("orders-0").resolve("00000000000000000000.log");
        try (FileChannel opened = FileChannel.open(file, StandardOpenOption.WRITE)) {
            opened.truncate(0);
        }
    }

    private TopicState.Partition partition(RocketBufs rocketBufs) {
        try (TopicClient topics = connected(() -> TopicClient.connect(rocketBufs, broker.settings(directory)))) {
            return topics.state("orders").partitions().get(0);
        }
    }

    private void awaitFailureOfThePartition(RocketBufs rocketBufs) {
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() ->
                        assertThat(partition(rocketBufs).failure()).contains("another program truncated the file"));
    }

    private void assertServesTheOtherPartition(RocketBufs rocketBufs) throws Exception {
        try (LogProducer producer = producer(rocketBufs)) {
            append(producer, 1);
        }
        try (LogConsumer other = consumer(rocketBufs, 1)) {
            while (read(other) == 0) {
                assertThat(ProcessHandle.of(broker.pid())).isPresent();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldEndTheAccessOfConsumersAndServeOtherPartitionsWhenAnotherProgramTruncatesAFile(String transport)
            throws Exception {
        RunningLogBroker.assume(transport, folder);
        startBroker(transport);
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(directory, over(transport)))) {
            broker.createTopic(rocketBufs, directory, "orders", 2);
            LogConsumer victim = consumer(rocketBufs, 0);
            try (LogProducer producer = producer(rocketBufs)) {
                for (int i = 0; i < 10; i++) {
                    append(producer, 0);
                }
            }
            truncate();
            // With libfabric's tcp provider, a read of missing pages ends only when the broker closes the connection.
            CompletableFuture<LogClientException> failed = CompletableFuture.supplyAsync(() -> failure(victim));
            assertServesTheOtherPartition(rocketBufs);
            awaitFailureOfThePartition(rocketBufs);
            assertThat(failed.get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("orders-0: the segment cannot be opened")
                    .hasMessageContaining("another program truncated the file");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldServeOtherPartitionsWhenAnotherProgramTruncatesAFileThatAProducerWrites(String transport)
            throws Exception {
        truncateWhileWritten(transport, "exclusive");
    }

    /** Over RDMA with libfabric's tcp, the provider's copy of the bytes would crash the broker. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    @Tag("slow")
    void shouldServeOtherPartitionsWhenAnotherProgramTruncatesAFileThatProducersShare(String transport)
            throws Exception {
        truncateWhileWritten(transport, "shared");
    }

    private void truncateWhileWritten(String transport, String mode) throws Exception {
        RunningLogBroker.assume(transport, folder);
        startBroker(transport);
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(directory, over(transport)))) {
            broker.createTopic(rocketBufs, directory, "orders", 2);
            try (LogProducer producer =
                    producer(rocketBufs, "rocketlog.producer { mode = " + mode + ", batch = 16 KiB, timeout = 3 s }")) {
                for (int i = 0; i < 10; i++) {
                    append(producer, 0);
                }
                assertThat(partition(rocketBufs).leaseHolder()).isNotEmpty();
                truncate();
                while (producer.failure() == null) {
                    if (producer.send(0, null, ByteBuffer.wrap(new byte[10_000])) == LogProducer.NO_SPACE) {
                        producer.awaitSpace();
                    }
                }
                assertServesTheOtherPartition(rocketBufs);
                awaitFailureOfThePartition(rocketBufs);
            }
        }
    }
}
