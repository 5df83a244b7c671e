package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of a producer that is stopped or killed while it writes into the log or into its buffer, usually in the middle
 * of a batch. The first test with a broker process also creates the broker's class-data archive, which takes up to two
 * minutes on a busy machine.
 */
@Tag("once")
@Timeout(600)
final class StoppedProducerSystemTest {
    private static final int LINE_LENGTH = 900_000;
    private static final int LINES = 40;
    private static final int STOPS = 3;
    private static final int AHEAD = 4;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(150);

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"tcp, shared", "shm, exclusive", "rdma, exclusive", "rdma, shared"})
    void shouldLoseItsLeaseAndChangeNothingAfterwards(String transport, String mode) throws Exception {
        interrupt(transport, mode, true);
    }

    @ParameterizedTest
    @CsvSource({"tcp, exclusive", "shm, exclusive", "rdma, exclusive", "tcp, shared", "shm, shared", "rdma, shared"})
    @Tag("slow")
    void shouldLoseItsLeaseAndChangeNothingAfterwardsInEveryMode(String transport, String mode) throws Exception {
        interrupt(transport, mode, true);
    }

    @Test
    void shouldNotDelayOtherProducersWhenItUsesAPrivateBuffer() throws Exception {
        interrupt("tcp", "private", true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "rdma"})
    @Tag("slow")
    void shouldNotDelayOtherProducersWhenItUsesAPrivateBufferOverOtherTransports(String transport) throws Exception {
        interrupt(transport, "private", true);
    }

    @ParameterizedTest
    @CsvSource({"tcp, shared", "shm, exclusive", "rdma, private"})
    void shouldLeaveOnlyWholeBatchesBehindWhenItIsKilled(String transport, String mode) throws Exception {
        interrupt(transport, mode, false);
    }

    @ParameterizedTest
    @CsvSource({"tcp, private", "tcp, exclusive", "shm, private", "shm, shared", "rdma, exclusive", "rdma, shared"})
    @Tag("slow")
    void shouldLeaveOnlyWholeBatchesBehindWhenItIsKilledInOtherModes(String transport, String mode) throws Exception {
        interrupt(transport, mode, false);
    }

    /** Stops and resumes the producer several times, or kills it once. */
    private void interrupt(String transport, String mode, boolean isStopped) throws Exception {
        RunningLogBroker.assume(transport, folder);
        Random random = random();
        List<String> lines = lines();
        Path fifo = fifo();
        Semaphore mayWrite = new Semaphore(AHEAD); // ensures that there are always lines to write
        Path directory = folder.resolve("data");
        Path segment = directory.resolve("lines-0").resolve("00000000000000000000.log");
        String[] settings = {"rocketbufs.transport=" + transport, "rocketbufs.rdma.provider=tcp"};
        try (BrokerProcess broker = BrokerProcess.start(
                        directory,
                        0,
                        settings[0],
                        settings[1],
                        "rocketlog.produce.direct.topics=[lines]",
                        "rocketlog.produce.direct.revoke-timeout=300 ms");
                RocketBufs rocketBufs =
                        RocketBufs.open(RunningLogBroker.config(directory, "rocketbufs.transport = " + transport))) {
            broker.createTopic(rocketBufs, directory, "lines", 1);
            try (CommandProcess produce = startProduce(broker, fifo, mode, settings);
                    LogProducer other =
                            LogProducer.open(rocketBufs, broker.settings(directory), "lines", ProducerCallback.NONE);
                    LogConsumer consumer = LogConsumer.open(
                            rocketBufs,
                            broker.settings(directory),
                            "lines",
                            ConsumerOptions.from(ConsumerStart.EARLIEST))) {
                feed(fifo, lines, mayWrite);
                byte[] before = {};
                for (int i = 0; i < (isStopped ? STOPS : 1); i++) {
                    int more = 1 + random.nextInt(LINES / STOPS - AHEAD);
                    mayWrite.release(more);
                    awaitRecords(consumer, more, produce);
                    produce.signal(isStopped ? "STOP" : "KILL");
                    long offset = other.append(0, null, ByteBuffer.wrap("other\n".getBytes(UTF_8)))
                            .get(60, TimeUnit.SECONDS);
                    byte[] now = upTo(offset, segment);
                    assertThat(Arrays.mismatch(before, 0, before.length, now, 0, before.length))
                            .isNegative();
                    before = now;
                    if (isStopped) {
                        produce.signal("CONT");
                    }
                }
                if (isStopped) {
                    mayWrite.release(LINES);
                    assertThat(produce.exitCode()).as(produce::err).isZero();
                }
                assertThat(broker.hasGranted(mode)).isTrue();
                byte[] end = Files.readAllBytes(segment);
                assertThat(Arrays.mismatch(before, 0, before.length, end, 0, before.length))
                        .isNegative();
            }
        }
        List<String> values = new ArrayList<>(LoggedRecords.values(directory, "lines-0"));
        assertThat(values.removeIf("other\n"::equals)).isTrue();
        List<String> expected = isStopped ? lines : lines.subList(0, values.size());
        assertThat(values.equals(expected)).isTrue(); // isEqualTo would produce a failure message of 36 MB
    }

    private static Random random() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        return new Random(seed);
    }

    private Path fifo() throws Exception {
        Path fifo = folder.resolve("lines");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        return fifo;
    }

    private CommandProcess startProduce(BrokerProcess broker, Path file, String mode, String... settings) {
        return CommandProcess.start(
                folder,
                "produce",
                "lines",
                "--mode=" + mode,
                "--file=" + file,
                "--broker=127.0.0.1:" + broker.port(),
                "--set=rocketlog.producer.batch=1 MiB",
                "--set=rocketlog.producer.ring-capacity=8 MiB",
                "--set=rocketlog.producer.lease-delay=10 ms",
                "--set=" + settings[0],
                "--set=" + settings[1]);
    }

    /** Returns the bytes of a segment up to the batch that ends with the given offset. */
    private static byte[] upTo(long offset, Path segment) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        ByteBuffer batches = ByteBuffer.wrap(bytes);
        int position = 0;
        long next = 0;
        while (next <= offset) {
            assertThat(RecordBatchLayout.baseOffset(batches, position)).isEqualTo(next);
            next = RecordBatchLayout.lastOffset(batches, position) + 1;
            position += (int) RecordBatchLayout.length(batches, position);
        }
        return Arrays.copyOf(bytes, position);
    }

    private static void awaitRecords(LogConsumer consumer, int goal, CommandProcess produce) {
        AtomicInteger count = new AtomicInteger();
        long startNs = System.nanoTime();
        while (count.get() < goal) {
            assertThat(produce.process().isAlive() && System.nanoTime() - startNs < LIMIT_NS)
                    .as("%d of %d records; %s", count.get(), goal, produce.err())
                    .isTrue();
            consumer.poll(1000, (partition, offset, timestamp, key, value) -> count.incrementAndGet() < goal);
        }
    }

    /** Writes lines to a pipe on another thread. Each line requires a permit. */
    private static void feed(Path fifo, List<String> lines, Semaphore mayWrite) {
        Thread feeding = new Thread(() -> {
            try (OutputStream out = Files.newOutputStream(fifo, StandardOpenOption.WRITE)) {
                for (String line : lines) {
                    mayWrite.acquire();
                    out.write(line.getBytes(ISO_8859_1));
                }
            } catch (IOException e) {
                // The producer has exited. If it was not killed, its exit code shows this.
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        feeding.setDaemon(true);
        feeding.start();
    }

    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            line.writeBytes(("line " + i + ' ').getBytes(UTF_8));
            byte[] rest = new byte[LINE_LENGTH];
            Arrays.fill(rest, (byte) ('a' + i % 26));
            line.writeBytes(rest);
            line.write('\n');
            lines.add(line.toString(ISO_8859_1));
        }
        return lines;
    }
}
