package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of processes that are killed or stopped while consumers wait for records without polling. */
@Tag("once")
@Timeout(600)
final class WaitingConsumerFaultSystemTest {
    private static final String NO_POLLS = "rocketlog.consumer { poll-time = 1 ms, poll-delay = 1 h }";
    private static final int CONSUMERS = 5;

    @TempDir
    Path folder;

    private static void append(LogProducer producer, String text) throws Exception {
        producer.append(0, null, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)))
                .get(60, TimeUnit.SECONDS);
    }

    private static CompletableFuture<String> next(LogConsumer consumer) {
        return CompletableFuture.supplyAsync(() -> {
            StringBuilder values = new StringBuilder();
            consumer.poll(
                    TimeUnit.HOURS.toMillis(1),
                    (partition, offset, timestamp, key, value) -> values.append(StandardCharsets.US_ASCII.decode(value))
                                    .length()
                            > 0);
            return values.toString();
        });
    }

    private static List<CompletableFuture<String>> next(List<LogConsumer> consumers) {
        return consumers.stream().map(WaitingConsumerFaultSystemTest::next).toList();
    }

    private static boolean hasWaits(String status, int count) {
        return status.contains("\"waitingSegments\":" + count + ",");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldReconnectAndWaitAgainWhenTheBrokerIsKilled(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        Path directory = folder.resolve("data");
        String[] settings = {"rocketbufs.transport=" + transport, "rocketbufs.rdma.provider=tcp"};
        BrokerProcess broker = BrokerProcess.start(directory, 0, settings);
        List<LogConsumer> consumers = new ArrayList<>();
        try (RocketBufs rocketBufs =
                RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport = " + transport))) {
            broker.createTopic(rocketBufs, directory, "orders", 1);
            for (int i = 0; i < CONSUMERS; i++) {
                consumers.add(LogConsumer.open(
                        rocketBufs, broker.settings(directory, NO_POLLS), "orders", ConsumerOptions.DEFAULTS));
            }
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<String>> received = next(consumers);
                BrokerProcess former = broker;
                await().until(() -> hasWaits(former.status(), CONSUMERS));
                broker.kill();
                BrokerProcess started = BrokerProcess.start(directory, broker.port(), settings);
                broker = started;
                await().until(() -> hasWaits(started.status(), CONSUMERS));
                try (LogProducer producer =
                        LogProducer.open(rocketBufs, broker.settings(directory), "orders", ProducerCallback.NONE)) {
                    append(producer, "record " + round);
                }
                for (CompletableFuture<String> each : received) {
                    assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo("record " + round);
                }
            }
            consumers.forEach(LogConsumer::close);
        } finally {
            broker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldServeOthersWhileAConsumerThatWaitsIsStoppedOrKilled(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        try (RunningLogBroker running = new RunningLogBroker(
                        folder.resolve("data"),
                        NO_POLLS,
                        "rocketbufs.transport = " + transport,
                        "rocketbufs.heartbeat-timeout = 5 m") // the stopped consumer must keep its connection
                .withTopic("orders", 1)) {
            LogProducer producer = running.opened(
                    LogProducer.open(running.clients(), running.settings(), "orders", ProducerCallback.NONE));
            LogConsumer other = running.opened(
                    LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
            try (CommandProcess consume = CommandProcess.start(
                    folder,
                    "consume",
                    "orders",
                    "--broker",
                    "127.0.0.1:" + running.address().getPort(),
                    "--set",
                    "rocketbufs.transport=" + transport,
                    "--set",
                    "rocketbufs.rdma.provider=tcp",
                    "--set",
                    "rocketbufs.heartbeat-timeout=5 m",
                    "--set",
                    "rocketlog.consumer.poll-delay=1 h")) {
                CompletableFuture<String> received = next(other);
                await().until(() -> hasWaits(running.status(), 2));
                consume.signal("STOP");
                append(producer, "first");
                assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo("first");
                append(producer, "second");
                assertThat(next(other).get(60, TimeUnit.SECONDS)).isEqualTo("second");
                consume.signal("CONT");
                await().until(() -> new String(consume.out(), StandardCharsets.US_ASCII).equals("first\nsecond\n"));
                CompletableFuture<String> last = next(other);
                await().until(() -> hasWaits(running.status(), 2));
                consume.signal("KILL");
                consume.exitCode();
                await().until(() -> hasWaits(running.status(), 1));
                append(producer, "third");
                assertThat(last.get(60, TimeUnit.SECONDS)).isEqualTo("third");
            }
        }
    }
}
