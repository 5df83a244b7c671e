package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the output of the commands {@code clients}, {@code topics} and {@code stat}. */
@Tag("once")
@Timeout(600)
final class ClientsCommandTest {
    private static final String HOSTILE = "\u001b[31m\u202eevil";

    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final RunningBroker running = new RunningBroker();

    @AfterEach
    void close() {
        running.close();
    }

    private List<String> run(int code, String... command) {
        recorded.clear();
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.add("--admin");
        arguments.add("127.0.0.1:" + running.broker().adminAddress().getPort());
        assertThat(Main.run(arguments.toArray(String[]::new), recorded.withoutInput()))
                .as(recorded.err())
                .isEqualTo(code);
        return recorded.out().lines().toList();
    }

    private void connect() throws Exception {
        running.subscriber(running.subscriberSettings().withName(HOSTILE), new SubscriberCallback() {})
                .subscribe("prices", message -> {})
                .ready()
                .get(60, TimeUnit.SECONDS);
        for (String topic : new String[] {"prices", "\u202eprices", "trades"}) {
            running.publisher(running.publisherSettings().withName("feed"))
                    .topic(topic)
                    .announced()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldListClientsWithRatesAndEscapeTheirNames() throws Exception {
        connect();
        List<String> lines = run(0, "clients", "--sort", "name");
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).startsWith("CLIENT ").contains(" RATE/s ", " LAG ", " DELAY ", " LOST ", " CONNECTED");
        assertThat(lines.get(1))
                .matches("feed +127\\.0\\.0\\.1:\\d+ +pub +1 +0 B +- +0\\.0 s +0 B +tcp +20[0-9-]+T[0-9:.]+Z?");
        // The broker has already replaced the two control characters.
        assertThat(lines.get(4)).startsWith("\ufffd[31m\ufffdevil ").contains(" sub ");
        assertThat(run(0, "clients", "EVIL")).hasSize(2);
        assertThat(run(0, "clients", "absent")).hasSize(1);
        assertThat(recorded.err()).isEqualTo("rbmq: none of the 4 clients match\n");
        run(0, "clients", "--json", "--limit", "1", "--sort", "topics");
        assertThat(Json.parse(recorded.out()).getInt("matching")).isEqualTo(4);
    }

    @Test
    void shouldShowNamesOfUpTo48Columns() {
        String name = "operator@trading-3.example/PriceFeed[1234567890]";
        running.publisher(running.publisherSettings().withName(name));
        running.publisher(running.publisherSettings().withName(name + "+"));
        List<String> lines = run(0, "clients", "--sort", "name");
        assertThat(lines.get(0)).startsWith("CLIENT" + " ".repeat(name.length() - 5) + "ADDRESS");
        assertThat(lines.get(1)).startsWith(name + " 127.0.0.1:");
        assertThat(lines.get(2)).startsWith(name.substring(0, name.length() - 1) + "\u2026 127.0.0.1:");
    }

    @Test
    void shouldFilterTopicsAndReportACut() throws Exception {
        connect();
        assertThat(run(0, "topics", "prices/#")).hasSize(2).last().asString().startsWith("prices  ");
        assertThat(run(0, "topics", "--limit", "2", "--sort", "subscribers"))
                .hasSize(3)
                .element(1)
                .asString()
                .startsWith("prices  ");
        assertThat(recorded.err()).isEqualTo("rbmq: 2 of 3 topics are shown; give a FILTER, or raise --limit\n");
        assertThat(run(0, "topics")).last().asString().startsWith("\\u202eprices ");
        assertThat(run(0, "topics", "--limit", "2000")).hasSize(4); // more topics than the broker lists in detail
        run(2, "topics", "a/#/b");
        assertThat(recorded.err()).contains("contains # before the last level");
        run(2, "topics", "--limit", "0");
        assertThat(recorded.err()).contains("--limit 0 is not a number from 1 to 10000");
        run(2, "topics", "--sort", "size");
    }

    @Test
    void shouldPrintOneTableWhenStandardOutputIsNoTerminal() throws Exception {
        connect();
        assertThat(run(0, "top"))
                .anyMatch(line -> line.startsWith("RBMQ 127.0.0.1:"))
                .anyMatch(line -> line.startsWith("in 0 B/s  out 0 B/s  "))
                .anyMatch(line -> line.startsWith("\\u202eprices "))
                .anyMatch(line -> line.startsWith("\ufffd[31m\ufffdevil "))
                .noneMatch(line -> line.indexOf('\u001b') >= 0);
    }

    @Test
    void shouldShowWhatGoesOutInTheState() throws Exception {
        connect();
        assertThat(run(0, "stat", "--once"))
                .contains("sentBytes 0", "outBytesPerSecond 0", "lostBytes.skipped 0", "subscribers 1", "slow []");
    }
}
