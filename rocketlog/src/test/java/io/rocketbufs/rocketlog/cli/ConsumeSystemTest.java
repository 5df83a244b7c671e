package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of {@code produce} and {@code consume}. The commands run in separate processes only where this matters. */
@Tag("once")
@Timeout(600)
final class ConsumeSystemTest {
    private static final String SHORT_SEGMENTS = "rocketlog.segment-length=1 MiB";
    private static final String LOST = "lost the connection to the broker";
    private static final String END = "end";

    @TempDir
    Path folder;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private String transport = "tcp";
    private int port;
    private BrokerProcess broker;

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    /** Starts a broker in a separate process. Reuses the port of the previous broker, if any. */
    private void startBroker() throws Exception {
        broker = BrokerProcess.start(
                folder.resolve("data"),
                port,
                SHORT_SEGMENTS,
                "rocketbufs.transport=" + transport,
                "rocketbufs.rdma.provider=tcp",
                "rocketlog.produce.direct.topics=[\"*\"]");
        opened.push(broker);
        port = broker.port();
    }

    /** Starts a broker in this process. */
    private void startLocalBroker() {
        RunningLogBroker local =
                new RunningLogBroker(folder.resolve("data"), SHORT_SEGMENTS, "rocketbufs.transport = " + transport);
        opened.push(local);
        port = local.address().getPort();
    }

    /** Returns the arguments of a command, with the broker's address added. */
    private String[] command(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        int options = all.get(0).equals("topics") ? 2 : 1;
        all.addAll(options, List.of("--broker", "127.0.0.1:" + port, "--set", "rocketbufs.transport=" + transport));
        all.addAll(options, List.of("--set", "rocketbufs.rdma.provider=tcp", "--set", BrokerProcess.PATIENT));
        return all.toArray(String[]::new);
    }

    /** Runs a command in this process, and returns its output. The command must succeed. */
    private byte[] run(String... arguments) {
        RecordedStreams recorded = new RecordedStreams("rocketlog");
        assertThat(Main.run(command(arguments), recorded.withoutInput()))
                .as(recorded::err)
                .isZero();
        return recorded.outBytes();
    }

    private CommandProcess start(String... arguments) {
        return CommandProcess.start(folder, command(arguments));
    }

    /** Returns lines of random bytes. Many lines are empty, and the last line has no newline. */
    private static byte[] lines(int count) {
        Random random = new Random(count);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            byte[] line = new byte[random.nextInt(4) * random.nextInt(60)];
            random.nextBytes(line);
            all.writeBytes(line);
            all.write('\n');
        }
        all.writeBytes("last".getBytes(US_ASCII));
        return all.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"tcp, private", "shm, exclusive", "rdma, shared"})
    void shouldRestoreFilesFromAnyPlaceThroughShortSegments(String over, String mode) throws Exception {
        restore(over, mode);
    }

    @ParameterizedTest
    @CsvSource({"shm, private", "rdma, private", "tcp, exclusive", "rdma, exclusive", "tcp, shared", "shm, shared"})
    @Tag("slow")
    void shouldRestoreFilesFromAnyPlaceThroughShortSegmentsInEveryMode(String over, String mode) throws Exception {
        restore(over, mode);
    }

    private void restore(String over, String mode) throws Exception {
        transport = over;
        RunningLogBroker.assume(over, folder);
        byte[] first = lines(60_000);
        byte[] second = lines(20_000);
        Path file = Files.write(folder.resolve("first"), first);
        startBroker();
        run("topics", "create", "files");
        run("produce", "files", "--mode", mode, "--file", file.toString());
        assertThat(broker.hasGranted(mode)).isTrue();
        long last = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > last);
        String time = "@" + System.currentTimeMillis();
        Files.write(file, second);
        run("produce", "files", "--mode", mode, "--file", file.toString());
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);

        assertThat(CommandProcess.run(folder, command("consume", "files", "--raw", "--until-end")))
                .isEqualTo(all);
        assertThat(run("consume", "files", "--raw", "--until-end", "--from", time))
                .isEqualTo(second);
        int lines = LinesOfFile.count(first);
        assertThat(run("consume", "files", "--raw", "--until-end", "--from", "" + lines))
                .isEqualTo(second);
        assertThat(run("consume", "files", "--raw", "--count", "" + (lines - 12_345), "--from", "12345"))
                .isEqualTo(LinesOfFile.after(first, 12_345));
        assertThat(folder.resolve("data").resolve("files-0").toFile().list((dir, name) -> name.endsWith(".log")))
                .hasSizeGreaterThan(2);
    }

    private static long count(String lines, String text) {
        return lines.lines().filter(line -> line.contains(text)).count();
    }

    @Test
    void shouldRestoreAFileWhenTheBrokerIsKilledWhileItIsProducedAndConsumed() throws Exception {
        byte[] bytes = lines(60_000);
        Path file = Files.write(folder.resolve("file"), bytes);
        startBroker();
        run("topics", "create", "files");
        // The consumer waits for one more record, so that it cannot end before the last kill.
        int wanted = LinesOfFile.count(bytes) + 1;
        try (CommandProcess consume = start("consume", "files", "--raw", "--count", "" + wanted);
                CommandProcess produce = start(
                        "produce",
                        "files",
                        "--file",
                        file.toString(),
                        "--set",
                        "rocketlog.producer.batch=1 KiB",
                        "--set",
                        "rocketlog.producer.memory=4 KiB")) {
            consume.awaitErr("consuming files");
            for (int kills = 1; kills <= 2; kills++) {
                int enough = kills * bytes.length / 10;
                await().until(() -> consume.outLength() > enough);
                long losses = count(consume.err(), LOST);
                broker.kill();
                await().until(() -> count(consume.err(), LOST) > losses);
                startBroker();
                await().until(() -> count(consume.err(), "reconnected") > losses);
            }
            assertThat(produce.exitCode()).as(produce::err).isZero();
            run("produce", "files", END);
            assertThat(consume.exitCode()).as(consume::err).isZero();
            byte[] all = Arrays.copyOf(bytes, bytes.length + END.length());
            System.arraycopy(END.getBytes(US_ASCII), 0, all, bytes.length, END.length());
            assertThat(consume.out()).isEqualTo(all);
            assertThat(count(consume.err(), "reconnected")).as(consume::err).isEqualTo(count(consume.err(), LOST));
            assertThat(run("consume", "files", "--raw", "--until-end")).isEqualTo(all);
        }
    }

    @Test
    void shouldEndQuietlyWhenTheReaderOfItsOutputStopsReading() throws Exception {
        startLocalBroker();
        run("topics", "create", "lines");
        run(
                "produce",
                "lines",
                "--file",
                Files.write(folder.resolve("file"), lines(20_000)).toString());
        run("topics", "create", "few");
        run("produce", "few", "first", "second");
        for (String topic : List.of("lines", "few")) {
            try (CommandProcess shell = CommandProcess.start(
                    folder,
                    List.of("bash", "-c", "\"$@\" | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}", "bash"),
                    Map.of(),
                    command("consume", topic))) {
                assertThat(shell.exitCode()).isZero();
                assertThat(new String(shell.out(), UTF_8)).isEqualTo("0\n");
                assertThat(shell.err()).isEqualTo("consuming " + topic + "\n");
            }
        }
    }

    @Test
    void shouldFailWhenTheOutputCannotBeWritten() throws Exception {
        startLocalBroker();
        run("topics", "create", "orders");
        run("produce", "orders", "a");
        try (CommandProcess shell = CommandProcess.start(
                folder, List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"), Map.of(), command("consume", "orders"))) {
            assertThat(shell.exitCode()).isEqualTo(1);
            assertThat(shell.err()).contains("standard output can no longer be written");
        }
    }

    @Test
    void shouldSayWhereToContinueAfterCtrlC() throws Exception {
        startLocalBroker();
        run("topics", "create", "orders");
        run("produce", "orders", "a", "b", "c");
        try (CommandProcess consume = start("consume", "orders", "--from", "1")) {
            await().until(() -> new String(consume.out(), UTF_8).equals("b\nc\n"));
            consume.signal("INT");
            assertThat(consume.exitCode()).isEqualTo(130);
            assertThat(consume.err())
                    .isEqualTo("consuming orders\nrocketlog: consumed 2 records; next offsets: orders-0=3\n");
        }
    }

    @Test
    void shouldFailWithoutABrokerAndGiveUpOnALostOneAfterTheTimeout() throws Exception {
        int unused;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = free.getLocalPort();
        }
        try (CommandProcess consume =
                CommandProcess.start(folder, "consume", "orders", "--broker", "127.0.0.1:" + unused)) {
            assertThat(consume.exitCode()).isEqualTo(69);
            assertThat(consume.err()).contains("127.0.0.1:" + unused).contains("no listener on this address");
        }
        startBroker();
        run("topics", "create", "orders");
        try (CommandProcess consume = start("consume", "orders", "--timeout", "10s")) {
            consume.awaitErr("consuming orders");
            broker.kill();
            assertThat(consume.exitCode()).as(consume::err).isEqualTo(69);
            assertThat(consume.err()).contains("lost the connection to the broker");
        }
    }
}
