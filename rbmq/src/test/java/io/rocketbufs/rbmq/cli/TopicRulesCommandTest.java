package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of how the command line shows the rules in {@code rbmq.topics}. */
@Tag("once")
@Timeout(600)
final class TopicRulesCommandTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    private int run(String... command) {
        return Main.run(command, recorded.withoutInput());
    }

    private String topics(String... settings) throws Exception {
        try (RunningBroker running = new RunningBroker(settings)) {
            for (String topic : new String[] {"prices/eu", "trades"}) {
                running.publisher().topic(topic).announced().get(60, TimeUnit.SECONDS);
            }
            int port = running.broker().adminAddress().getPort();
            assertThat(run("topics", "--admin", "127.0.0.1:" + port)).isZero();
            return recorded.out();
        }
    }

    @Test
    void shouldNameTheRuleThatAppliesToATopic() throws Exception {
        assertThat(topics("rbmq.topics = [{ match = \"prices/#\", slow-policy = skip }]")
                        .lines())
                .satisfiesExactly(
                        header -> assertThat(header).endsWith(" LOST  RULE"),
                        prices -> assertThat(prices).matches("prices/eu +1 +0 +0 B +0 B +0 B +0 B  prices/#"),
                        trades -> assertThat(trades).matches("trades +1 +0 +0 B +0 B +0 B +0 B"));
    }

    @Test
    void shouldNotMentionRulesWhenNoneApplies() throws Exception {
        assertThat(topics("rbmq.topics = [{ match = other, slow-policy = skip }]"))
                .contains("prices/eu")
                .doesNotContain("RULE");
    }

    @Test
    void shouldWarnOfARuleThatNeverAppliesWhenItChecksAConfiguration(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("broker.conf"), "rbmq.topics = [{ match = \"#\" }, { match = a, keep = 1 }]");
        assertThat(run("broker", "--check-config", "--config", file.toString())).isZero();
        assertThat(recorded.err())
                .startsWith("rbmq: rbmq.topics[1] never applies: earlier rules match all topics that \"a\" matches");
        assertThat(recorded.out()).endsWith("\nthe configuration is valid\n");
    }

    @Test
    void shouldReportEveryErrorOfTheRulesWithItsPlace(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("broker.conf"),
                "rbmq.topics = [\n{ match = a, keep = 2 TiB }\n{ mach = b }\n{ match = c, slow-policy = skp }]");
        assertThat(run("broker", "--check-config", "--config", file.toString())).isEqualTo(3);
        assertThat(recorded.err())
                .contains(
                        "broker.conf: 2: rbmq.topics[0].keep: 2199023255552 bytes is not in the range",
                        "broker.conf: 3: rbmq.topics[1].mach: is not one of match, ",
                        "did you mean \"match\"?",
                        "broker.conf: 4: rbmq.topics[2].slow-policy: \"skp\" is not one of block, disconnect, skip; did"
                                + " you mean \"skip\"?");
    }
}
