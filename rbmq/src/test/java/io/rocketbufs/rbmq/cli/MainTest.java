package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class MainTest {
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "brokr",
                "broker --ports-fil x",
                "broker --set rbmq.port",
                "pub",
                "pub t m --lines",
                "pub t m --broker nowhere",
                "pub t -hot",
                "pub -help m",
                "sub",
                "sub -h1",
                "sub t --timeout soon",
                "sub t --raw --json",
                "sub t u t",
                "sub t -v --json",
                "sub t --verbose-topic --raw",
                "sub a/#/b",
                "sub a+/b",
                "sub t --from first",
                "sub t/# t/+ --from last",
                "get",
                "get t/#",
                "get t --raw --json",
                "get t --timeout 0s",
                "stat --admin a|b:1",
                "bench throughput --size 7 --duration 1s",
                "bench latency --size 8 --rate 10 --duration 1s",
                "bench throughput --size 8 --duration 1s --topics 20001",
                "bench subcpu --size 8 --duration 1s --rate 0",
                "bench"
            })
    void shouldExitWith2WhenTheArgumentsAreInvalid(String arguments) {
        assertThat(run(arguments.split(" "))).as(recorded.err()).isEqualTo(2);
        assertThat(recorded.out()).isEmpty();
        assertThat(recorded.err()).isNotEmpty().doesNotContain("\tat ");
    }

    @Test
    void shouldExitWith2AndPrintUsageWithoutArguments() {
        assertThat(run()).isEqualTo(2);
        assertThat(recorded.err()).contains("Usage: rbmq", "demo", "transports");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbmq.broker.slow-policy=sometimes",
                "rbmq.client.connect-timeout=soon",
                "rbmq.client.broker=nowhere",
                "rbmq.publisher.capacity=0",
                "rbmq.publisher.transport=pigeon",
                "rbmq.subscriber.slow-policy=sometimes",
                "rbmq.subscriber.transport=pigeon"
            })
    void shouldExitWith3WhenTheConfigurationHasABadValue(String setting) {
        assertThat(run("broker", "--check-config", "--set", setting))
                .as(recorded.err())
                .isEqualTo(3);
        assertThat(recorded.out()).isEmpty();
        String[] keyAndValue = setting.split("=");
        assertThat(recorded.err()).containsAnyOf(keyAndValue[0], '"' + keyAndValue[1] + '"');
    }

    @Test
    void shouldSuggestTheClosestCommand() {
        run("brokr");
        assertThat(recorded.err()).contains("'brokr'", "rbmq broker");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"stat --once --admin [::1]:1", "topics --set rbmq.admin.address=::1 --set rbmq.admin.port=1"})
    void shouldSupportIpv6Addresses(String arguments) {
        assertThat(run(arguments.split(" "))).isEqualTo(69);
        assertThat(recorded.err()).matches("rbmq: no broker answers at http://\\[[0:]+1]:1/.*\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "demo",
                "broker",
                "pub",
                "sub",
                "bench throughput",
                "topics",
                "clients",
                "top",
                "stat",
                "health",
                "reload",
                "token",
                "transports"
            })
    void shouldPrintHelpToStandardOutput(String command) {
        assertThat(run((command + " --help").strip().split(" "))).isZero();
        assertThat(recorded.out()).startsWith(("Usage: rbmq " + command).strip());
        assertThat(recorded.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "demo",
                "broker",
                "pub",
                "sub",
                "get",
                "request",
                "respond",
                "bench",
                "bench throughput",
                "bench latency",
                "bench subcpu",
                "bench publisher",
                "bench subscriber",
                "topics",
                "clients",
                "top",
                "stat",
                "health",
                "reload",
                "token",
                "transports",
                "help",
                "completion"
            })
    void shouldEndEveryHelpWithTwoExamplesOfValidCommandsAndContainNoCodesOfCharacters(String command) {
        assertThat(run((command + " --help").strip().split(" "))).isZero();
        assertThat(recorded.out()).as("characters are named in plain English").doesNotContain("0x", "line feed");
        String[] parts = recorded.out().split("\nExamples:\n");
        assertThat(parts).hasSize(2);
        List<String> examples = parts[1].lines().map(String::strip).toList();
        assertThat(examples).hasSize(2);
        for (String example : examples) {
            String arguments = example.replaceFirst(".*\\brbmq ", "").replace(")", "");
            recorded.clear();
            assertThat(run((arguments + " --help").split(" ")))
                    .as(example + recorded.err())
                    .isZero();
            assertThat(recorded.out()).as(example).contains("Usage: rbmq");
        }
    }

    @Test
    void shouldSuggestTheClosestOption() {
        assertThat(run("sub", "t", "--cuont", "5")).isEqualTo(2);
        assertThat(recorded.err()).contains("Unknown option: '--cuont'; did you mean --count?");
    }

    @Test
    void shouldSuggestAnOptionOfTheProgramOnce() {
        assertThat(run("--verison")).isEqualTo(2);
        assertThat(recorded.err())
                .isEqualTo("rbmq: Unknown option: '--verison'; did you mean --version?\nSee rbmq --help\n");
    }

    private int run(String... arguments) {
        return Main.run(arguments, recorded.withoutInput());
    }
}
