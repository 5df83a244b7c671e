package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that pass a file of 100 MB and many small files through {@code produce} and {@code consume} processes. */
@Tag("slow")
@Timeout(3600)
final class LargeFileSystemTest {
    private static final int LENGTH = 100_000_000;
    private static final int PROCESSES = 1000;
    private static final int PARALLEL = 4;

    @TempDir
    Path folder;

    private String transport = "tcp";
    private String segmentLength = "256 MiB";
    private BrokerProcess broker;

    private void startBroker() throws Exception {
        broker = BrokerProcess.start(
                folder.resolve("data"),
                broker == null ? 0 : broker.port(),
                "rocketlog.segment-length=" + segmentLength,
                "rocketbufs.transport=" + transport,
                "rocketbufs.rdma.provider=tcp",
                "rocketlog.produce.direct.topics=[\"*\"]");
    }

    @AfterEach
    void close() {
        if (broker != null) { // null if the test was skipped
            broker.close();
        }
    }

    private CommandProcess start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        int options = all.get(0).equals("topics") ? 2 : 1;
        all.addAll(options, List.of("--broker", "127.0.0.1:" + broker.port()));
        all.addAll(options, List.of("--set", "rocketbufs.transport=" + transport));
        all.addAll(options, List.of("--set", "rocketbufs.rdma.provider=tcp", "--set", BrokerProcess.PATIENT));
        return CommandProcess.start(folder, all.toArray(String[]::new));
    }

    private static void assertDone(CommandProcess command) throws Exception {
        assertThat(command.process().waitFor(30, TimeUnit.MINUTES))
                .as(command::err)
                .isTrue();
        assertThat(command.process().exitValue()).as(command::err).isZero();
    }

    private byte[] run(String... arguments) throws Exception {
        try (CommandProcess command = start(arguments)) {
            assertDone(command);
            return command.out();
        }
    }

    private static void assertSame(byte[] found, byte[] expected) {
        assertThat(found.length).isEqualTo(expected.length);
        assertThat(Arrays.mismatch(found, expected)).as("first difference").isEqualTo(-1);
    }

    /** Returns lines of random bytes. Many lines are empty, and the last line has no newline. */
    private static byte[] lines() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        ByteArrayOutputStream all = new ByteArrayOutputStream(LENGTH + 1000);
        while (all.size() < LENGTH) {
            byte[] line = new byte[random.nextInt(4) * random.nextInt(300)];
            random.nextBytes(line);
            all.writeBytes(line);
            all.write('\n');
        }
        all.writeBytes("last".getBytes(US_ASCII));
        return all.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, private, 256 MiB",
        "tcp, private, 1 MiB",
        "tcp, exclusive, 256 MiB",
        "tcp, exclusive, 1 MiB",
        "shm, private, 256 MiB",
        "shm, private, 1 MiB",
        "shm, exclusive, 256 MiB",
        "shm, exclusive, 1 MiB",
        "rdma, private, 256 MiB",
        "rdma, private, 1 MiB",
        "rdma, exclusive, 256 MiB",
        "rdma, exclusive, 1 MiB",
        "tcp, shared, 256 MiB",
        "tcp, shared, 1 MiB",
        "shm, shared, 256 MiB",
        "shm, shared, 1 MiB",
        "rdma, shared, 256 MiB",
        "rdma, shared, 1 MiB"
    })
    void shouldRestoreAFileOfAHundredMegabytesFromAnyPlace(String over, String mode, String segments) throws Exception {
        RunningLogBroker.assume(over, folder);
        transport = over;
        segmentLength = segments;
        byte[] bytes = lines();
        Path file = Files.write(folder.resolve("file"), bytes);
        startBroker();
        run("topics", "create", "files");
        run("produce", "files", "--mode", mode, "--file", file.toString());
        assertThat(broker.hasGranted(mode)).isTrue();
        assertSame(run("consume", "files", "--raw", "--until-end"), bytes);
        int middle = LinesOfFile.count(bytes) / 2;
        assertSame(
                run("consume", "files", "--raw", "--until-end", "--from", "" + middle),
                LinesOfFile.after(bytes, middle));
        long last = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > last);
        String time = "@" + System.currentTimeMillis();
        run("produce", "files", "--mode", mode, "--file", file.toString());
        assertSame(run("consume", "files", "--raw", "--until-end", "--from", time), bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp, private",
        "tcp, exclusive",
        "tcp, shared",
        "shm, private",
        "shm, exclusive",
        "shm, shared",
        "rdma, private",
        "rdma, exclusive",
        "rdma, shared"
    })
    void shouldRestoreAFileOfAHundredMegabytesWhileTheBrokerIsKilledEverySecond(String over, String mode)
            throws Exception {
        RunningLogBroker.assume(over, folder);
        transport = over;
        segmentLength = "1 MiB";
        byte[] bytes = lines();
        Path file = Files.write(folder.resolve("file"), bytes);
        startBroker();
        run("topics", "create", "files");
        int kills = 0;
        try (CommandProcess consume = start("consume", "files", "--raw", "--count", "" + LinesOfFile.count(bytes));
                CommandProcess produce = start(
                        "produce",
                        "files",
                        "--mode",
                        mode,
                        "--file",
                        file.toString(),
                        "--set",
                        "rocketlog.producer.timeout=10m",
                        "--set",
                        "rocketlog.producer.memory=1 MiB",
                        "--set",
                        "rocketlog.producer.batch=16 KiB")) {
            consume.awaitErr("consuming files");
            awaitMore(consume, produce, 0); // both must be connected, because a failed first attempt is not retried
            while (!produce.process().waitFor(1, TimeUnit.SECONDS)) {
                broker.kill();
                long before = consume.outLength();
                startBroker();
                kills++;
                awaitMore(consume, produce, before); // reconnecting may take longer on a very busy machine
            }
            assertDone(produce);
            assertDone(consume);
            assertSame(consume.out(), bytes);
        }
        System.out.println(kills + " kills");
        assertThat(kills).isGreaterThan(1);
        assertSame(run("consume", "files", "--raw", "--until-end"), bytes);
    }

    private static void awaitMore(CommandProcess consume, CommandProcess produce, long before) {
        await().atMost(120, TimeUnit.SECONDS)
                .until(() -> consume.outLength() > before || !produce.process().isAlive());
    }

    @Test
    void shouldLoseNoRecordOfAThousandProcessesThatAppendOneEach() throws Exception {
        startBroker();
        run("topics", "create", "orders", "--partitions", "3");
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < PARALLEL; i++) {
            int first = i;
            Thread thread = new Thread(() -> {
                try {
                    for (int number = first; number < PROCESSES; number += PARALLEL) {
                        run("produce", "orders", "record " + number);
                    }
                } catch (Exception | AssertionError e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread each : threads) {
            each.join();
        }
        assertThat(failures).isEmpty();
        List<String> expected = new ArrayList<>();
        for (int number = 0; number < PROCESSES; number++) {
            expected.add("record " + number);
        }
        assertThat(new String(run("consume", "orders", "--until-end"), US_ASCII).lines())
                .containsExactlyInAnyOrderElementsOf(expected);
    }
}
