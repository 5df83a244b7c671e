package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.text.HostPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
@Timeout(600)
final class ProduceCommandTest {
    @TempDir
    Path folder;

    private final RecordedStreams recorded = new RecordedStreams("rocketlog");
    private RunningLogBroker running;

    @BeforeEach
    void start() {
        running = new RunningLogBroker(folder, "rocketlog.batch.longest = 4 KiB").withTopic("orders", 3);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private int run(String input, String... arguments) {
        recorded.clear();
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--broker", HostPort.of(running.address())));
        return Main.run(all.toArray(String[]::new), recorded.withInput(input));
    }

    private List<String> records(int partition) {
        return LoggedRecords.values(folder, "orders-" + partition);
    }

    @Test
    void shouldAppendEachLineIncludingEmptyOnes() {
        assertThat(run("a\n\n b \r\nlast", "produce", "orders", "--partition", "1"))
                .as(recorded.err())
                .isZero();
        assertThat(run("", "produce", "orders", "--partition", "1", "c", "d")).isZero();
        assertThat(run("", "produce", "orders", "--partition", "1")).isZero();
        running.close();
        assertThat(records(1)).containsExactly("a", "", " b \r", "last", "c", "d");
    }

    @Test
    void shouldSpreadRecordsOfManyRuns() {
        for (int i = 0; i < 40; i++) {
            assertThat(run("", "produce", "orders", "once")).isZero();
        }
        running.close();
        // This fails by chance with a probability of about 10^-6.
        assertThat(List.of(records(0), records(1), records(2))).noneMatch(List::isEmpty);
    }

    @Test
    void shouldSpreadRecordsAndKeepEqualKeysTogether() {
        assertThat(run("1\n2\n3\n", "produce", "orders")).isZero();
        assertThat(run("key=1\nkey=2\nother key=3=3", "produce", "orders", "--key-separator", "="))
                .isZero();
        running.close();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertThat(records(i)).isNotEmpty();
            all.addAll(records(i));
        }
        assertThat(all).containsExactlyInAnyOrder("1", "2", "3", "1", "2", "3=3");
    }

    @Test
    void shouldNameTheRecordThatCannotBeAppended() {
        assertThat(run("a=b\nc\n", "produce", "orders", "--key-separator", "=")).isEqualTo(1);
        assertThat(recorded.err()).contains("record 2 does not contain the key separator");
        assertThat(run("a\n" + "x".repeat(5000), "produce", "orders")).isEqualTo(1);
        assertThat(recorded.err())
                .contains("record 2: topic orders: a batch with this record needs", "rocketlog.batch.longest");
        assertThat(run("a\n", "produce", "orders", "--partition", "3")).isEqualTo(1);
        assertThat(recorded.err()).contains("topic orders has no partition 3: partitions=3");
    }

    @Test
    void shouldExitWithTheCodeOfTheFailure() {
        assertThat(run("a", "produce", "missing")).isEqualTo(4);
        assertThat(recorded.err()).contains("topic missing does not exist; create it with");
        assertThat(run("a", "produce", "orders", "a", "--file", "b")).isEqualTo(2);
        assertThat(run(
                        "a",
                        "produce",
                        "orders",
                        "--file",
                        folder.resolve("none").toString()))
                .isEqualTo(1);
        assertThat(recorded.err()).contains("none: no such file or directory");
        assertThat(run("a", "produce", "orders", "--set", "rocketlog.flsh=x")).isEqualTo(3);
        assertThat(recorded.err()).contains("did you mean rocketlog.flush?");
        running.broker().close();
        assertThat(run("a", "produce", "orders")).isEqualTo(69);
    }

    @Test
    void shouldListAndCreateTopics() {
        assertThat(run("", "topics", "create", "prices", "--partitions", "2")).isZero();
        assertThat(run("", "topics")).isZero();
        assertThat(recorded.out()).isEqualTo("orders partitions=3\nprices partitions=2\n");
        assertThat(run("", "topics", "--json")).isZero();
        assertThat(recorded.out())
                .startsWith(
                        "{\"topics\":[{\"name\":\"orders\",\"partitions\":3,\"storage\":\"disk\",\"damaged\":false},");
        assertThat(run("", "topics", "create", "prices")).isEqualTo(77);
        assertThat(recorded.err()).contains("topic prices exists with partitions=2, not 1");
    }
}
