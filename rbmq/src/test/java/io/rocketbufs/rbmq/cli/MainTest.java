package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.Streams;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

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
        assertThat(run(arguments.split(" ")))
                .as(err.toString(StandardCharsets.UTF_8))
                .isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).isNotEmpty().doesNotContain("\tat ");
    }

    @Test
    void shouldExitWith2AndPrintUsageWithoutArguments() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Usage: rbmq", "demo", "transports");
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
                .as(err.toString(StandardCharsets.UTF_8))
                .isEqualTo(3);
        assertThat(out.size()).isZero();
        String[] keyAndValue = setting.split("=");
        assertThat(err.toString(StandardCharsets.UTF_8)).containsAnyOf(keyAndValue[0], '"' + keyAndValue[1] + '"');
    }

    @Test
    void shouldSuggestTheClosestCommand() {
        run("brokr");
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("'brokr'", "rbmq broker");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"stat --once --admin [::1]:1", "topics --set rbmq.admin.address=::1 --set rbmq.admin.port=1"})
    void shouldSupportIpv6Addresses(String arguments) {
        assertThat(run(arguments.split(" "))).isEqualTo(69);
        assertThat(err.toString(StandardCharsets.UTF_8)).matches("rbmq: no broker answers at http://\\[[0:]+1]:1/.*\n");
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
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith(("Usage: rbmq " + command).strip());
        assertThat(err.size()).isZero();
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
    void shouldEndEveryHelpWithTwoExamplesOfValidCommands(String command) {
        assertThat(run((command + " --help").strip().split(" "))).isZero();
        String[] parts = out.toString(StandardCharsets.UTF_8).split("\nExamples:\n");
        assertThat(parts).hasSize(2);
        List<String> examples = parts[1].lines().map(String::strip).toList();
        assertThat(examples).hasSize(2);
        for (String example : examples) {
            String arguments = example.replaceFirst(".*\\brbmq ", "").replace(")", "");
            out.reset();
            assertThat(run((arguments + " --help").split(" ")))
                    .as(example + err)
                    .isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).as(example).contains("Usage: rbmq");
        }
    }

    @Test
    void shouldSuggestTheClosestOption() {
        assertThat(run("sub", "t", "--cuont", "5")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Unknown option: '--cuont'; did you mean --count?");
    }

    @Test
    void shouldSuggestAnOptionOfTheProgramOnce() {
        assertThat(run("--verison")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("rbmq: Unknown option: '--verison'; did you mean --version?\nSee rbmq --help\n");
    }

    private int run(String... arguments) {
        try (PrintStream toOut = new PrintStream(out, true, StandardCharsets.UTF_8);
                PrintStream toErr = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            return Main.run(arguments, new Streams("rbmq", InputStream.nullInputStream(), toOut, toErr));
        }
    }
}
