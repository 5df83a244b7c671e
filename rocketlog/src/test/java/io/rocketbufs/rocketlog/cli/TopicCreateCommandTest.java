package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.text.ClientName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests of invalid arguments of {@code topics create}, with which the command does not connect to a broker. */
final class TopicCreateCommandTest {
    private final RecordedStreams recorded = new RecordedStreams("rocketlog");

    private void assertRefused(int code, String reason, String... arguments) {
        recorded.clear();
        String[] all = new String[arguments.length + 3];
        all[0] = "topics";
        all[1] = "create";
        all[2] = "orders";
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        assertThat(Main.run(all, recorded.withoutInput())).as(recorded::err).isEqualTo(code);
        assertThat(recorded.err()).contains(reason);
    }

    @Test
    void shouldNameAClientAfterTheCommandUnlessItHasAName() {
        assertThat(clientName()).isEqualTo(ClientName.of("rocketlog")).contains("/rocketlog[");
        assertThat(clientName("--set", "rocketlog.client.name=desk")).isEqualTo("desk");
        assertRefused(
                3,
                "rocketlog.client.name: is longer than 256 bytes",
                "--set",
                "rocketlog.client.name=" + "x".repeat(257));
    }

    private static String clientName(String... options) {
        Config loaded = CommandLine.populateCommand(LogConfigurationOptions.forClients(), options)
                .load();
        return LogClientSettings.from(loaded).name();
    }

    @Test
    void shouldSuggestASimilarKey() {
        assertRefused(
                3, "retention.tme: is not a known key; did you mean retention.time?", "--set", "retention.tme=1h");
        assertRefused(
                3, "segment-lenght: is not a known key; did you mean segment-length?", "--set", "segment-lenght=1MiB");
        assertRefused(
                3,
                "rocketlog.client.brker: is not a known key; did you mean rocketlog.client.broker?",
                "--set",
                "rocketlog.client.brker=x");
        assertRefused(3, "flush: is not a known key; keys begin with retention or ", "--set", "flush=none");
    }

    @Test
    void shouldRefuseValuesWithoutOrWithAWrongUnit() {
        assertRefused(3, "retention.time: 7 has no unit; write, for example, 12 h or 7 d", "--set", "retention.time=7");
        assertRefused(3, "expected a duration such as 500 ms or 2 s", "--set", "retention.time=7 fortnights");
        assertRefused(3, "retention.length: \"7 h\" cannot be read: expected a size", "--set", "retention.length=7 h");
        assertRefused(3, "segment-length: 1024 bytes is not in the range 65536 to ", "--set", "segment-length=1KiB");
        assertRefused(3, "retention.time: 0 ms is not in the range 1 to ", "--set", "retention.time=0s");
    }

    @Test
    void shouldRefuseRetentionForATopicInMemory() {
        assertRefused(
                2, "--set retention.time: needs --storage disk", "--storage", "memory", "--set", "retention.time=1h");
    }

    @Test
    void shouldAcceptTheKeysOfATopicForNoOtherCommand() {
        recorded.clear();
        assertThat(Main.run(
                        new String[] {"topics", "describe", "orders", "--set", "retention.time=1h"},
                        recorded.withoutInput()))
                .isEqualTo(3);
        assertThat(recorded.err()).contains("retention.time: is not a known key");
    }
}
