package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.SentRecords;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.RecordCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of topics in memory whose consumers, producers or broker are stopped or killed. */
@Tag("once")
@Timeout(600)
final class MemoryTopicFaultSystemTest {
    private static final long CAPACITY = 256 << 10;
    private static final String SETTINGS = "rocketlog.batch.longest = 16 KiB";
    private static final Pattern SKIPPED =
            Pattern.compile("skipped ([0-9]+) offsets of ticks-0: from ([0-9]+) to ([0-9]+);");

    @TempDir
    Path folder;

    private static void produce(RunningLogBroker running, long from, long to) {
        try (LogProducer producer =
                LogProducer.open(running.clients(), running.settings(), "ticks", ProducerCallback.NONE)) {
            for (long i = from; i < to; i++) {
                SentRecords.send(producer, 0, "record " + i);
            }
            producer.flush();
        }
    }

    private CommandProcess start(RunningLogBroker running, String transport, String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 8);
        System.arraycopy(
                new String[] {
                    "--broker",
                    "127.0.0.1:" + running.address().getPort(),
                    "--set",
                    "rocketbufs.transport=" + transport,
                    "--set",
                    "rocketbufs.rdma.provider=tcp",
                    "--set",
                    BrokerProcess.PATIENT
                },
                0,
                all,
                arguments.length,
                8);
        return CommandProcess.start(folder, all);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldReportTheRecordsThatAStoppedConsumerMissedAndContinue(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        int count = 80_000; // fills the ring several times
        try (RunningLogBroker running = new RunningLogBroker(
                                folder.resolve("data"),
                                SETTINGS,
                                "rocketbufs.transport = " + transport,
                                "rocketbufs.heartbeat-timeout = 1 m")
                        .withMemoryTopic("ticks", 1, CAPACITY);
                CommandProcess consume = start(running, transport, "consume", "ticks", "--from", "0")) {
            consume.awaitErr("consuming ticks");
            produce(running, 0, 10);
            await().until(() -> new String(consume.out(), UTF_8).endsWith("record 9\n"));
            consume.signal("STOP");
            produce(running, 10, count);
            consume.signal("CONT");
            await().until(() -> new String(consume.out(), UTF_8).endsWith("record " + (count - 1) + "\n"));
            long next = 0;
            Matcher skipped = SKIPPED.matcher(consume.err());
            List<String> lines = new String(consume.out(), UTF_8).lines().toList();
            for (String line : lines) {
                if (!line.equals("record " + next)) { // allowed only after the command has reported a gap
                    assertThat(skipped.find()).as(line).isTrue();
                    assertThat(Long.parseLong(skipped.group(2))).isEqualTo(next);
                    next = Long.parseLong(skipped.group(3)) + 1;
                    assertThat(line).isEqualTo("record " + next);
                }
                next++;
            }
            assertThat(next).isEqualTo(count);
            assertThat(lines.size()).isLessThan(count);
        }
    }

    @Test
    void shouldKeepOnlyWholeBatchesWhenAProducerIsKilled() throws Exception {
        Path fifo = folder.resolve("lines");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        CompletableFuture<IOException> feeding = CompletableFuture.supplyAsync(() -> feed(fifo));
        try (RunningLogBroker running =
                new RunningLogBroker(folder.resolve("data"), SETTINGS).withMemoryTopic("ticks", 1, CAPACITY)) {
            try (CommandProcess produce = start(running, "tcp", "produce", "ticks", "--file", fifo.toString())) {
                await().until(() -> !running.status().contains("\"appendedBatches\":0,"));
                assertThat(produce.process().isAlive()).isTrue(); // the pipe never ends
                produce.process().destroyForcibly().onExit().join();
            }
            assertThat(feeding.join()).hasMessageContaining("Broken pipe");
            await().until(() -> running.status().contains("\"producers\":0,"));
            produce(running, 0, 1);
            String[] last = {""};
            try (LogConsumer consumer =
                    LogConsumer.open(running.clients(), running.settings(), "ticks", ConsumerOptions.DEFAULTS)) {
                while (!last[0].equals("record 0")) {
                    consumer.poll(1000, (partition, offset, timestamp, key, value) -> {
                        last[0] = UTF_8.decode(value).toString();
                        assertThat(last[0]).isIn("a line of the file\n", "record 0");
                        return true;
                    });
                }
                assertThat(consumer.skippedCount()).isZero();
            }
        }
    }

    /** Writes lines until the reader exits, and returns the resulting exception. */
    private static IOException feed(Path fifo) {
        byte[] lines = "a line of the file\n".repeat(1000).getBytes(UTF_8);
        try (OutputStream out = new FileOutputStream(fifo.toFile())) {
            while (true) {
                out.write(lines);
            }
        } catch (IOException e) {
            return e;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm", "rdma"})
    void shouldContinueWithHigherOffsetsWhenTheBrokerIsKilled(String transport) throws Exception {
        RunningLogBroker.assume(transport, folder);
        Path directory = folder.resolve("data");
        String[] settings = {
            "rocketbufs.transport=" + transport, "rocketbufs.rdma.provider=tcp", "rocketlog.batch.longest=16 KiB"
        };
        BrokerProcess broker = BrokerProcess.start(directory, 0, settings);
        try (RocketBufs rocketBufs =
                RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport = " + transport))) {
            try (TopicClient topics = TopicClient.connect(rocketBufs, broker.settings(directory))) {
                topics.createInMemory("ticks", 1, 8 << 20);
            }
            Ascending seen = new Ascending();
            try (LogProducer producer = LogProducer.open(
                            rocketBufs,
                            broker.settings(directory, "rocketlog.producer.retry-delay = 20 ms"),
                            "ticks",
                            ProducerCallback.NONE);
                    LogConsumer consumer = LogConsumer.open(
                            rocketBufs,
                            broker.settings(directory, "rocketlog.consumer.retry-delay = 20 ms"),
                            "ticks",
                            ConsumerOptions.DEFAULTS)) {
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < 1000; i++) {
                        SentRecords.send(producer, 0, "record " + (round * 1000L + i));
                    }
                    producer.flush(); // no record may be in flight when the broker is killed
                    seen.poll(consumer, round * 1000L + 999);
                    broker.kill();
                    broker = BrokerProcess.start(directory, broker.port(), settings);
                    assertThat(seen.gaps).isEqualTo(round);
                }
                assertThat(seen.count).isEqualTo(2000);
                assertThat(consumer.skippedCount()).isZero();
            }
        } finally {
            broker.close();
        }
    }

    /** A callback that checks that the offsets and the numbers in the records ascend. */
    private static final class Ascending implements RecordCallback {
        private long lastOffset = -1;
        private long lastNumber = -1;
        private long count;
        private long gaps;

        @Override
        public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
            assertThat(offset).isGreaterThan(lastOffset);
            lastOffset = offset;
            assertThat(UTF_8.decode(value).toString()).isEqualTo("record " + ++lastNumber);
            count++;
            return true;
        }

        @Override
        public void onGap(int partition, long firstOffset, long nextOffset) {
            assertThat(firstOffset).isEqualTo(lastOffset + 1);
            gaps++;
        }

        void poll(LogConsumer consumer, long number) {
            while (lastNumber < number) {
                consumer.poll(1000, this);
            }
        }
    }
}
