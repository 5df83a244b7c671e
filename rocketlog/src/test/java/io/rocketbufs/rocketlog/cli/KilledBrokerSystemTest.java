package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of brokers that are killed while producers send. */
@Timeout(3600)
final class KilledBrokerSystemTest {
    @TempDir
    Path folder;

    /** Returns the given settings together with those for the transport. */
    private static String[] over(String transport, String... settings) {
        String[] all = Arrays.copyOf(settings, settings.length + 3);
        all[settings.length] = "rocketbufs.transport=" + transport;
        all[settings.length + 1] = "rocketbufs.rdma.provider=tcp";
        all[settings.length + 2] = "rocketlog.produce.direct.topics=[\"*\"]";
        return all;
    }

    private static RocketBufs openRocketBufs(Path directory, String transport) {
        return RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport = " + transport));
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rocketlog.cli.TestedModes#selected")
    void shouldHaveEveryAcknowledgedRecordOnceAndInOrderWhenTheBrokerIsKilled(String transport, String mode)
            throws Exception {
        killRepeatedly(transport, mode, 3);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, private, 200",
        "tcp, exclusive, 200",
        "shm, private, 50",
        "shm, exclusive, 50",
        "rdma, private, 50",
        "rdma, exclusive, 50",
        "tcp, shared, 200",
        "shm, shared, 50",
        "rdma, shared, 50"
    })
    @Tag("slow")
    void shouldHaveEveryAcknowledgedRecordOnceAndInOrderWhenTheBrokerIsKilledManyTimes(
            String transport, String mode, int rounds) throws Exception {
        killRepeatedly(transport, mode, rounds);
    }

    private void killRepeatedly(String transport, String mode, int rounds) throws Exception {
        RunningLogBroker.assume(transport, folder);
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        AtomicLong acknowledged = new AtomicLong();
        List<String> sent = new ArrayList<>();
        Path directory = folder.resolve("data");
        String[] settings = over(transport, "rocketlog.segment-length=1 MiB");
        BrokerProcess broker = BrokerProcess.start(directory, 0, settings);
        try (RocketBufs rocketBufs = openRocketBufs(directory, transport)) {
            broker.createTopic(rocketBufs, directory, "orders", 1);
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    if (firstNumber != firstOffset || !acknowledged.compareAndSet(firstNumber, firstNumber + count)) {
                        throw new AssertionError(firstNumber + " has the offset " + firstOffset);
                    }
                }
            };
            try (LogProducer producer = LogProducer.open(
                    rocketBufs,
                    broker.settings(
                            directory,
                            "rocketlog.producer { batch = 1 KiB, memory = 8 KiB, retry-delay = 20 ms,"
                                    + " lease-delay = 20 ms, mode = " + mode + " }"),
                    "orders",
                    callback)) {
                for (int round = 0; round < rounds; round++) {
                    long goal = acknowledged.get() + 1 + random.nextInt(3000);
                    BrokerProcess current = broker;
                    sendUntil(() -> acknowledged.get() >= goal && current.hasGranted(mode), producer, sent);
                    broker.kill();
                    int unsent = sent.size() + random.nextInt(20);
                    sendUntil(() -> sent.size() >= unsent || producer.unacknowledgedCount() > 0, producer, sent);
                    broker = BrokerProcess.start(directory, broker.port(), settings);
                    // Acknowledgements from the lost connection may still be reported, so only a reconnect proves
                    // progress.
                    int expected = round + 1;
                    sendUntil(() -> producer.reconnectCount() >= expected, producer, sent);
                }
                producer.flush();
            }
        } finally {
            broker.close();
        }
        assertThat(acknowledged).hasValue(sent.size());
        assertThat(LoggedRecords.values(directory, "orders-0")).isEqualTo(sent);
    }

    private static void sendUntil(BooleanSupplier isEnough, LogProducer producer, List<String> sent) {
        while (!isEnough.getAsBoolean()) {
            send(producer, sent);
        }
    }

    private static void send(LogProducer producer, List<String> sent) {
        String text = "record " + sent.size();
        long result = producer.send(0, null, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        if (result >= 0) {
            assertThat(result).isEqualTo(sent.size());
            sent.add(text);
        } else {
            assertThat(result).isEqualTo(LogProducer.NO_SPACE);
            producer.awaitSpace();
        }
    }

    @Test
    void shouldAppendEveryLineOfAFileUnchangedWhileTheBrokerIsKilled() throws Exception {
        Path directory = folder.resolve("data");
        Path file = folder.resolve("lines");
        List<String> lines = writeLines(file);
        BrokerProcess broker = BrokerProcess.start(directory, 0);
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(directory))) {
            broker.createTopic(rocketBufs, directory, "lines", 1);
            Process produce = new ProcessBuilder(BrokerProcess.command(
                            "produce",
                            "lines",
                            "--file",
                            file.toString(),
                            "--broker",
                            "127.0.0.1:" + broker.port(),
                            "--set",
                            "rocketlog.producer.batch=1 KiB",
                            "--set",
                            "rocketlog.producer.memory=4 KiB"))
                    .redirectErrorStream(true)
                    .start();
            Path segment = directory.resolve("lines-0").resolve("00000000000000000000.log");
            await().atMost(120, TimeUnit.SECONDS).until(() -> Files.size(segment) > 100_000);
            broker.kill();
            broker = BrokerProcess.start(directory, broker.port());
            String output = new String(produce.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(produce.waitFor()).as(output).isZero();
        } finally {
            broker.close();
        }
        assertThat(LoggedRecords.values(directory, "lines-0")).isEqualTo(lines);
    }

    /**
     * Writes lines of random bytes. Many lines are empty, and the last line has no newline. Returns the lines with
     * newlines.
     */
    private static List<String> writeLines(Path file) throws Exception {
        Random random = new Random(1);
        List<String> lines = new ArrayList<>();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 60_000; i++) {
            byte[] line = new byte[random.nextInt(4) * random.nextInt(30)];
            random.nextBytes(line);
            for (int j = 0; j < line.length; j++) {
                line[j] = line[j] == '\n' ? (byte) '\r' : line[j];
            }
            all.write(line);
            all.write('\n');
            lines.add(new String(line, StandardCharsets.ISO_8859_1) + '\n');
        }
        all.write("last".getBytes(StandardCharsets.US_ASCII));
        lines.add("last");
        Files.write(file, all.toByteArray());
        return lines;
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rocketlog.cli.TestedModes#selected")
    void shouldServeReadsAndKeepProducersWaitingWhileTheDiskIsFull(String transport, String mode) throws Exception {
        fillTheDisk(transport, mode);
    }

    @ParameterizedTest
    @CsvSource({"tcp, private", "shm, shared", "rdma, shared"})
    @Tag("slow")
    void shouldServeReadsAndKeepProducersWaitingWhileTheDiskIsFullInTheOtherModes(String transport, String mode)
            throws Exception {
        fillTheDisk(transport, mode);
    }

    private void fillTheDisk(String transport, String mode) throws Exception {
        assumeMount();
        RunningLogBroker.assume(transport, folder);
        Path directory = Files.createDirectory(folder.resolve("small"));
        List<String> sent = new ArrayList<>();
        AtomicLong acknowledged = new AtomicLong();
        List<String> prefix = List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=2m tmpfs \"$0\" && head -c 1m /dev/zero > \"$0/ballast\" && mkdir \"$0/data\""
                        + " && exec \"$@\"",
                directory.toString());
        try (BrokerProcess broker = BrokerProcess.start(
                        prefix,
                        directory.resolve("data"),
                        0,
                        over(transport, "rocketlog.segment-length=128 KiB", "rocketlog.batch.longest=16 KiB"));
                RocketBufs rocketBufs = openRocketBufs(directory, transport)) {
            broker.createTopic(rocketBufs, directory, "orders", 1);
            ProducerCallback callback = new ProducerCallback() {
                @Override
                public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                    acknowledged.addAndGet(count);
                }
            };
            Path seen = Path.of("/proc/" + broker.pid() + "/root" + directory);
            try (LogProducer producer = LogProducer.open(
                    rocketBufs,
                    broker.settings(
                            directory,
                            "rocketlog.producer { batch = 8 KiB, memory = 128 KiB, lease-delay = 200 ms, mode = " + mode
                                    + " }"),
                    "orders",
                    callback)) {
                long refusedAt = -1;
                while (refusedAt < acknowledged.get() || freeSpace(seen) > 16_384) {
                    int before = sent.size();
                    send(producer, sent);
                    refusedAt = sent.size() == before ? acknowledged.get() : -1; // the producer's memory is full
                }
                assertThat(producer.failure()).isNull();
                assertThat(consume(rocketBufs, broker.settings(directory), (int) refusedAt))
                        .isEqualTo(sent.subList(0, (int) refusedAt));
                Files.delete(seen.resolve("ballast"));
                producer.flush();
                assertThat(producer.reconnectCount()).isZero();
            }
            assertThat(Json.parse(broker.status()).getLong("refusals.storage-full"))
                    .isPositive();
            assertThat(broker.hasGranted(mode)).isTrue();
            assertThat(acknowledged).hasValue(sent.size());
            assertThat(LoggedRecords.values(seen.resolve("data"), "orders-0")).isEqualTo(sent);
        }
    }

    private static List<String> consume(RocketBufs rocketBufs, LogClientSettings settings, int count) {
        List<String> values = new ArrayList<>();
        try (LogConsumer consumer = LogConsumer.open(rocketBufs, settings, "orders", ConsumerOptions.DEFAULTS)) {
            while (values.size() < count) {
                consumer.poll(1000, (partition, offset, timestamp, key, value) -> {
                    values.add(StandardCharsets.US_ASCII.decode(value).toString());
                    return values.size() < count;
                });
            }
        }
        return values;
    }

    private static long freeSpace(Path path) throws Exception {
        return Files.getFileStore(path).getUsableSpace();
    }

    private static void assumeMount() throws Exception {
        int exit = new ProcessBuilder("unshare", "-m", "true").start().waitFor();
        assumeTrue(exit == 0, "this user may not mount in a namespace");
    }
}
