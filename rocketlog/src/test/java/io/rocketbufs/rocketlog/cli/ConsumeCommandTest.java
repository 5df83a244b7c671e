package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.text.HostPort;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@Timeout(600)
final class ConsumeCommandTest {
    @TempDir
    Path folder;

    private final RecordedStreams recorded = new RecordedStreams("rocketlog");
    private RunningLogBroker running;

    @BeforeEach
    void start() {
        running = new RunningLogBroker(folder.resolve("data"))
                .withTopic("orders", 1)
                .withTopic("prices", 3);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private int run(String... arguments) {
        return runWithInput(InputStream.nullInputStream(), arguments);
    }

    private int runWithInput(InputStream in, String... arguments) {
        recorded.clear();
        List<String> all = new ArrayList<>(List.of(arguments));
        int options = all.contains("create") ? 2 : 1;
        all.addAll(options, List.of("--broker", HostPort.of(running.address())));
        return Main.run(all.toArray(String[]::new), recorded.withInput(in));
    }

    private void produce(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(0, "produce");
        assertThat(run(all.toArray(String[]::new))).as(recorded.err()).isZero();
    }

    private String consumed(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(0, "consume");
        assertThat(run(all.toArray(String[]::new))).as(recorded.err()).isZero();
        return recorded.out();
    }

    private void assertFails(int code, String message, String... arguments) {
        assertThat(run(arguments)).isEqualTo(code);
        assertThat(recorded.err()).contains(message);
        assertThat(recorded.out()).isEmpty();
    }

    @Test
    void shouldWriteEachValueAsALineAndOnlyItsBytesWithRaw() {
        produce("orders", "first", "", " third\r", "fourth\n");
        assertThat(consumed("orders", "--until-end")).isEqualTo("first\n\n third\r\nfourth\n");
        assertThat(recorded.err()).isEqualTo("consuming orders\n");
        assertThat(consumed("orders", "--until-end", "--raw")).isEqualTo("first third\rfourth\n");
    }

    @Test
    void shouldCreateListAndReadATopicInMemory() {
        assertThat(run("topics", "create", "ticks", "--storage", "memory", "--capacity", "8MiB"))
                .as(recorded.err())
                .isZero();
        assertThat(run("topics")).isZero();
        assertThat(recorded.out())
                .contains("orders partitions=1\n", "ticks partitions=1 storage=memory capacity=8388608\n");
        assertThat(run("topics", "--json")).isZero();
        assertThat(recorded.out())
                .contains("{\"name\":\"ticks\",\"partitions\":1,\"storage\":\"memory\",\"capacity\":8388608,"
                        + "\"damaged\":false}");
        produce("ticks", "first", "second", "third");
        assertThat(consumed("ticks", "--until-end")).isEqualTo("first\nsecond\nthird\n");
        assertThat(consumed("ticks", "--from", "1", "--count", "1")).isEqualTo("second\n");
        assertThat(consumed("ticks", "--from", "@0", "--count", "1")).isEqualTo("first\n");
        assertFails(
                2,
                "--capacity 1: must be positive, and needs --storage memory",
                "topics",
                "create",
                "a",
                "--capacity",
                "1");
        assertFails(77, "exists in memory with capacity=8388608", "topics", "create", "ticks");
        assertFails(
                77,
                "exceed rocketlog.memory.limit=1073741824 bytes, of which other topics use 8388608",
                "topics",
                "create",
                "more",
                "--storage",
                "memory",
                "--capacity",
                "2GiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "a", "a\n", "\n\na\n\n", "a\r\n b\u0085\u2028\n\nlast"})
    void shouldRestoreAFileWithRaw(String content) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), content);
        produce("orders", "--file", file.toString());
        assertThat(consumed("orders", "--until-end", "--raw")).isEqualTo(content);
    }

    @Test
    void shouldRestoreAFileOfAnyBytesWithRaw() throws Exception {
        byte[] bytes = new byte[3_000_000];
        new Random(1).nextBytes(bytes);
        Path file = Files.write(folder.resolve("file"), bytes);
        produce("orders", "--file", file.toString());
        assertThat(run("consume", "orders", "--until-end", "--raw")).isZero();
        assertThat(recorded.outBytes()).isEqualTo(bytes);
        assertThat(runWithInput(new ByteArrayInputStream(bytes), "produce", "orders", "--file", "-"))
                .isZero();
        long lines = 1;
        for (byte each : bytes) {
            lines += each == '\n' ? 1 : 0;
        }
        assertThat(run("consume", "orders", "--raw", "--from", "" + lines, "--count", "" + lines))
                .isZero();
        assertThat(recorded.outBytes()).isEqualTo(bytes);
    }

    @Test
    void shouldWriteKeys() {
        assertThat(runWithInput(
                        new ByteArrayInputStream("k=1\n=2\nk==3".getBytes(UTF_8)),
                        "produce",
                        "orders",
                        "--key-separator",
                        "="))
                .isZero();
        produce("orders", "none");
        assertThat(consumed("orders", "--until-end")).isEqualTo("1\n2\n=3\nnone\n");
        assertThat(consumed("orders", "--until-end", "--key-separator", "=")).isEqualTo("k=1\n=2\nk==3\nnone\n");
        assertThat(consumed("orders", "--until-end", "--key")).isEqualTo("k\t1\n\t2\nk\t=3\nnone\n");
    }

    @Test
    void shouldWriteOffsetsAndJson() throws Exception {
        long before = System.currentTimeMillis();
        Path file = Files.write(folder.resolve("file"), new byte[] {'a', '"', '\n', (byte) 0xFF});
        produce("orders", "--file", file.toString());
        produce("orders", "--key-separator", ":", "k:v");
        List<String> lines = consumed("orders", "--until-end", "--offsets", "--from", "2")
                .lines()
                .toList();
        assertThat(lines).singleElement().asString().matches("0\t2\t[0-9]+\tv");
        assertThat(Long.parseLong(lines.get(0).split("\t")[2])).isBetween(before, System.currentTimeMillis());
        assertThat(consumed("orders", "--until-end", "--json").replaceAll("\"timestamp\":[0-9]+", "\"timestamp\":1"))
                .isEqualTo("""
                        {"partition":0,"offset":0,"timestamp":1,"key":null,"value":"a\\"\\n"}
                        {"partition":0,"offset":1,"timestamp":1,"key":null,"value":{"base64":"/w=="}}
                        {"partition":0,"offset":2,"timestamp":1,"key":"k","value":"v"}
                        """);
    }

    @Test
    void shouldReadAllPartitionsOrOne() {
        produce("prices", "a", "b", "c", "d", "e", "f");
        assertThat(consumed("prices", "--until-end").lines()).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
        assertThat(consumed("prices", "--until-end", "--partition", "2").lines())
                .hasSize(2);
        assertThat(consumed("prices", "--count", "6").lines()).hasSize(6);
    }

    @Test
    void shouldBeginWhereItIsTold() {
        produce("orders", "old");
        long last = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > last);
        long time = System.currentTimeMillis();
        produce("orders", "new", "newer");
        assertThat(consumed("orders", "--until-end", "--from", "earliest")).isEqualTo("old\nnew\nnewer\n");
        assertThat(consumed("orders", "--until-end", "--from", "2")).isEqualTo("newer\n");
        assertThat(consumed("orders", "--until-end", "--from", "3")).isEmpty();
        assertThat(consumed("orders", "--until-end", "--from", "latest")).isEmpty();
        assertThat(consumed("orders", "--until-end", "--from", "@" + time)).isEqualTo("new\nnewer\n");
        assertThat(consumed("orders", "--until-end", "--from", "@2020-01-01T00:00:00Z"))
                .isEqualTo("old\nnew\nnewer\n");
        assertThat(consumed("orders", "--until-end", "--from", "@2999-01-01T00:00:00Z"))
                .isEmpty();
    }

    @Test
    void shouldEndAfterACountOrATimeWithoutRecords() {
        produce("orders", "a", "b", "c");
        assertThat(consumed("orders", "--count", "2")).isEqualTo("a\nb\n");
        assertThat(consumed("orders", "--count", "0")).isEmpty();
        // On a busy machine, the records may arrive later.
        await().until(() -> consumed("orders", "--timeout", "100ms"), "a\nb\nc\n"::equals);
        await().until(() -> {
            assertThat(run("consume", "orders", "--count", "4", "--timeout", "100ms"))
                    .isEqualTo(1);
            return recorded.err().contains("only 3 of 4 records arrived");
        });
        assertThat(run("consume", "orders", "--count", "4", "--until-end")).isEqualTo(1);
    }

    @Test
    void shouldNameTheMissingFileAndTheRemedy() {
        assertFails(4, "topic missing does not exist; create it with", "consume", "missing");
        assertFails(4, "topic orders has no partition 7", "consume", "orders", "--partition", "7");
        produce("orders", "a");
        assertFails(4, "orders-0: offset=2 is beyond the end of the log", "consume", "orders", "--from", "2");
        running.broker().close();
        assertFails(69, "no listener on this address", "consume", "orders");
    }

    @Test
    void shouldRefuseAnInvalidCommandLine() {
        assertFails(2, "did you mean --until-end?", "consume", "orders", "--until-ned");
        assertFails(2, "If TOPIC begins with -, put -- before it", "consume", "-orders");
        assertFails(2, "'soon' is not earliest, latest, an offset", "consume", "orders", "--from", "soon");
        assertFails(2, "'-1' is not earliest", "consume", "orders", "--from", "-1");
        assertFails(2, "'@noon' is not earliest", "consume", "orders", "--from", "@noon");
        assertFails(2, "--count -1: must not be negative", "consume", "orders", "--count", "-1");
        assertFails(2, "--partition -1: must not be negative", "consume", "orders", "--partition", "-1");
        assertFails(2, "--raw and --json are mutually exclusive", "consume", "orders", "--raw", "--json");
        assertFails(2, "--json and --key are mutually exclusive", "consume", "orders", "--key", "--json");
        assertFails(3, "did you mean rocketlog.flush?", "consume", "orders", "--set", "rocketlog.flsh=x");
    }
}
