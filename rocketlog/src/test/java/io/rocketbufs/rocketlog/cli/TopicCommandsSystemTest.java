package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code topics describe} and {@code topics delete}, with a broker in a separate process. */
@Tag("once")
@Timeout(600)
final class TopicCommandsSystemTest {
    private static final String DELETABLE = "rocketlog.deletable-topics=[orders, files]";
    private static final int PARTITIONS = 8;

    @TempDir
    Path folder;

    private final RecordedStreams recorded = new RecordedStreams("rocketlog");
    private BrokerProcess broker;

    private void startBroker() throws Exception {
        broker = BrokerProcess.start(
                folder.resolve("data"), broker == null ? 0 : broker.port(), DELETABLE, "rocketlog.retention.time=1h");
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private String[] command(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--broker", "127.0.0.1:" + broker.port(), "--set", BrokerProcess.PATIENT));
        return all.toArray(String[]::new);
    }

    private int run(String... arguments) {
        recorded.clear();
        return Main.run(command(arguments), recorded.withoutInput());
    }

    private void assertFails(int code, String reason, String... arguments) {
        assertThat(run(arguments)).as(recorded::err).isEqualTo(code);
        assertThat(recorded.err()).contains(reason);
    }

    @Test
    void shouldDescribeATopic() throws Exception {
        startBroker();
        assertThat(run("topics", "create", "orders", "--partitions", "2")).isZero();
        assertThat(run("produce", "orders", "--partition", "1", "a", "b")).isZero();
        assertThat(run("topics", "describe", "orders")).as(recorded::err).isZero();
        assertThat(recorded.out().lines())
                .hasSize(3)
                .first()
                .isEqualTo(
                        "orders partitions=2 retention_time=3600000ms retention_length=none segment_length=268435456");
        assertThat(recorded.out())
                .contains("orders-0 first_offset=0 next_offset=0 durable_offset=0 segments=1 bytes=0 mode=private\n")
                .contains("orders-1 first_offset=0 next_offset=2 durable_offset=")
                .doesNotContain("failure");
        assertThat(run("topics", "describe", "orders", "--json")).isZero();
        assertThat(recorded.out().lines())
                .singleElement()
                .asString()
                .startsWith("{\"name\":\"orders\",\"id\":")
                .contains("\"retentionMs\":3600000,\"retentionLength\":null,\"segmentLength\":268435456,\"set\":[],"
                        + "\"partitions\":[{\"partition\":0,")
                .contains("\"nextOffset\":2,", "\"mode\":\"private\",\"leaseHolder\":null,\"failure\":null}]}");
    }

    @Test
    void shouldDescribeATopicInMemory() throws Exception {
        startBroker();
        assertThat(run("topics", "create", "ticks", "--storage", "memory", "--capacity", "8MiB"))
                .isZero();
        assertThat(run("produce", "ticks", "a", "b")).isZero();
        assertThat(run("topics", "describe", "ticks")).as(recorded::err).isZero();
        assertThat(recorded.out())
                .startsWith("ticks partitions=1 storage=memory capacity=8388608\n"
                        + "ticks-0 first_offset=0 next_offset=2 durable_offset=0 segments=1 bytes=");
        assertThat(run("topics", "describe", "ticks", "--json")).isZero();
        assertThat(recorded.out())
                .contains("\"storage\":\"memory\",\"capacity\":8388608,\"retentionMs\":null,\"retentionLength\":null,");
    }

    @Test
    void shouldCreateATopicWithARetentionAndSegmentsOfItsOwn() throws Exception {
        startBroker();
        String[] create = {
            "topics",
            "create",
            "audit",
            "--set",
            "retention.time=none",
            "--set",
            "segment-length=64MiB",
            "--set",
            "retention.length = 10 GB"
        };
        assertThat(run(create)).as(recorded::err).isZero();
        assertThat(run(create)).as("again").isZero();
        broker.kill();
        startBroker();
        assertThat(run("topics", "describe", "audit")).isZero();
        assertThat(recorded.out())
                .startsWith("audit partitions=1 retention_time=none retention_length=10000000000"
                        + " segment_length=67108864 set=retention.time,retention.length,segment-length\n");
        assertThat(run("topics", "describe", "audit", "--json")).isZero();
        assertThat(recorded.out())
                .contains("\"retentionMs\":null,\"retentionLength\":10000000000,\"segmentLength\":67108864,"
                        + "\"set\":[\"retention.time\",\"retention.length\",\"segment-length\"],");
        assertFails(
                77,
                "exists with different options (retention.time), which",
                "topics",
                "create",
                "audit",
                "--set",
                "retention.time=7d");
        assertFails(
                77,
                "segment-length=65536 bytes is less than rocketlog.batch.longest",
                "topics",
                "create",
                "other",
                "--set",
                "segment-length=64KiB");
    }

    @Test
    void shouldSuggestASimilarTopicAndNameThePermission() throws Exception {
        startBroker();
        assertThat(run("topics", "create", "orders")).isZero();
        assertThat(run("topics", "create", "prices")).isZero();
        assertFails(4, "topic ordres does not exist; did you mean orders?", "topics", "describe", "ordres");
        assertFails(4, "topic something does not exist; to list all topics", "topics", "describe", "something");
        assertFails(4, "topic files does not exist; ", "topics", "delete", "files");
        assertFails(77, "rocketlog.deletable-topics", "topics", "delete", "prices");
        assertFails(2, "Missing required parameter: 'TOPIC'", "topics", "delete");
        assertThat(run("topics", "delete", "orders")).isZero();
        assertThat(run("topics")).isZero();
        assertThat(recorded.out()).isEqualTo("prices partitions=1\n");
    }

    @Test
    void shouldEndTheCommandsThatUseADeletedTopic() throws Exception {
        startBroker();
        assertThat(run("topics", "create", "orders")).isZero();
        try (CommandProcess consume = CommandProcess.start(folder, command("consume", "orders"));
                CommandProcess produce = CommandProcess.start(
                        folder, List.of("sh", "-c", "yes | \"$@\"", "sh"), Map.of(), command("produce", "orders"))) {
            await().atMost(60, TimeUnit.SECONDS).until(() -> consume.outLength() > 1000);
            assertThat(run("topics", "delete", "orders")).as(recorded::err).isZero();
            assertThat(consume.exitCode()).as(consume::err).isEqualTo(4);
            assertThat(consume.err()).contains("topic orders was deleted");
            assertThat(produce.exitCode()).as(produce::err).isEqualTo(4);
            assertThat(produce.err()).contains("topic orders, partition 0: the topic was deleted");
        }
    }

    @Test
    void shouldKeepTheTopicOrNothingWhenTheBrokerIsKilledDuringTheDeletion() throws Exception {
        killRepeatedly(4);
    }

    @Test
    @Tag("slow")
    @Timeout(3600)
    void shouldKeepTheTopicOrNothingWhenTheBrokerIsKilledDuringManyDeletions() throws Exception {
        killRepeatedly(100);
    }

    private void killRepeatedly(int rounds) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int kept = 0;
        Path data = folder.resolve("data");
        for (int round = 0; round < rounds; round++) {
            startBroker();
            Kill kill = Kill.values()[round % Kill.values().length];
            try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(data));
                    TopicClient topics = TopicClient.connect(rocketBufs, broker.settings(data))) {
                topics.create("orders", PARTITIONS);
                appendMissing(rocketBufs, topics);
                if (kill == Kill.BEFORE_IT_IS_ASKED) {
                    broker.signal("STOP");
                }
                CompletableFuture<Void> deletion = CompletableFuture.runAsync(() -> topics.delete("orders"));
                awaitMoment(kill, data, random);
                broker.kill();
                deletion.exceptionally(failure -> {
                            assertThat(failure).hasCauseInstanceOf(TransportException.class);
                            return null;
                        })
                        .get(60, TimeUnit.SECONDS);
            }
            startBroker();
            boolean isKept = checkWholeOrGone(data);
            assertThat(isKept || kill != Kill.BEFORE_IT_IS_ASKED).isTrue();
            assertThat(isKept && kill == Kill.ONCE_IT_IS_DECIDED).isFalse();
            kept += isKept ? 1 : 0;
            broker.close();
        }
        System.out.println(kept + " of " + rounds + " topics have been kept");
        assertThat(kept).isBetween(rounds / 3, rounds - rounds / 3);
    }

    /** The moments at which the broker is killed. A deletion becomes final when the topic's file is renamed. */
    private enum Kill {
        BEFORE_IT_IS_ASKED,
        ONCE_IT_IS_DECIDED,
        AT_ANY_TIME
    }

    private static void awaitMoment(Kill kill, Path data, Random random) {
        if (kill == Kill.ONCE_IT_IS_DECIDED) {
            Path file = data.resolve("topics/orders");
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> !Files.exists(file));
        } else if (kill == Kill.AT_ANY_TIME) {
            LockSupport.parkNanos(random.nextInt(20_000_000));
        }
    }

    private void appendMissing(RocketBufs rocketBufs, TopicClient topics) {
        List<TopicState.Partition> states = topics.state("orders").partitions();
        try (LogProducer producer = LogProducer.open(
                rocketBufs, broker.settings(folder.resolve("data")), "orders", ProducerCallback.NONE)) {
            for (int i = 0; i < PARTITIONS; i++) {
                if (states.get(i).nextOffset() == 0) {
                    producer.append(i, null, ByteBuffer.wrap(new byte[] {1}));
                }
            }
            producer.flush();
        }
    }

    /** Checks that the topic either exists with all its records, or is completely gone. Returns true if it exists. */
    private boolean checkWholeOrGone(Path data) {
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(data));
                TopicClient topics = TopicClient.connect(rocketBufs, broker.settings(data))) {
            boolean exists = !topics.topics().isEmpty();
            if (exists) {
                assertThat(topics.state("orders").partitions()).allMatch(each -> each.nextOffset() == 1);
            }
            for (int i = 0; i < PARTITIONS; i++) {
                assertThat(data.resolve("orders-" + i).toFile().exists()).isEqualTo(exists);
            }
            return exists;
        }
    }
}
