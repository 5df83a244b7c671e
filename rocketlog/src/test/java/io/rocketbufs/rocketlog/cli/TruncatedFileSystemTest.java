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
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of the log that another program truncates while a consumer has it open. */
@Tag("slow")
@Timeout(120)
final class TruncatedFileSystemTest {
    @TempDir
    Path folder;

    private static long append(LogProducer producer, int partition) throws Exception {
        return producer.append(
                        partition, null, ByteBuffer.wrap("x".repeat(10_000).getBytes(US_ASCII)))
                .get(60, TimeUnit.SECONDS);
    }

    private static int read(LogConsumer consumer) {
        return consumer.poll(100, (partition, offset, timestamp, key, value) -> true);
    }

    /** Reads until there is a problem. */
    private static Throwable problem(LogConsumer victim) {
        try {
            while (victim.connectionProblem() == null) {
                assertThat(read(victim)).isZero();
            }
            return victim.connectionProblem();
        } catch (LogClientException e) {
            return e;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldServeOtherPartitionsWhenAnotherProgramTruncatesAFile(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        Path directory = folder.resolve("data");
        String over = "rocketbufs.transport=" + transport;
        try (BrokerProcess broker = BrokerProcess.start(directory, 0, over, "rocketbufs.rdma.provider=tcp")) {
            CompletableFuture<Throwable> victims;
            try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(directory, over))) {
                victims = truncate(broker, rocketBufs, directory);
            }
            // Checked now, because over some providers, a read of missing pages ends only with its connection.
            assertThat(victims.get(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    /** Returns the problem of the consumer whose file has been truncated. */
    private static CompletableFuture<Throwable> truncate(BrokerProcess broker, RocketBufs rocketBufs, Path directory)
            throws Exception {
        broker.createTopic(rocketBufs, directory, "orders", 2);
        ConsumerOptions options = ConsumerOptions.DEFAULTS;
        LogConsumer victim = LogConsumer.open(
                rocketBufs, broker.settings(directory), "orders", options.withPartition(0, ConsumerStart.EARLIEST));
        try (LogProducer producer =
                LogProducer.open(rocketBufs, broker.settings(directory), "orders", ProducerCallback.NONE)) {
            for (int i = 0; i < 10; i++) {
                append(producer, 0);
            }
            Path file = directory.resolve("orders-0").resolve("00000000000000000000.log");
            try (FileChannel opened = FileChannel.open(file, StandardOpenOption.WRITE)) {
                opened.truncate(0);
            }
            CompletableFuture<Throwable> victims = CompletableFuture.supplyAsync(() -> problem(victim));
            assertThat(append(producer, 1)).isZero();
            // The JVM may report the fault late, during the handshake of another connection of the same worker.
            try (LogConsumer other = await().ignoreExceptionsInstanceOf(TransportException.class)
                    .until(
                            () -> LogConsumer.open(
                                    rocketBufs,
                                    broker.settings(directory),
                                    "orders",
                                    options.withPartition(1, ConsumerStart.EARLIEST)),
                            opened -> true)) {
                while (read(other) == 0) {
                    assertThat(ProcessHandle.of(broker.pid())).isPresent();
                }
            }
            return victims;
        }
    }
}
