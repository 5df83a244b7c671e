package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.Streams;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of how {@code rocketlog broker} exits. The command runs in a separate process, unless it fails to start. */
@Tag("once")
@Timeout(600)
final class LogBrokerCommandSystemTest {
    @TempDir
    Path folder;

    private CommandProcess start() {
        return CommandProcess.start(
                folder,
                "broker",
                "--set=rocketlog.dir=" + folder.resolve("data"),
                "--set=rocketlog.port=0",
                "--set=rocketlog.admin.port=0",
                "--set=rocketlog.allocation-step=0");
    }

    @Test
    void shouldExitWithOneAndNameTheProcessThatUsesTheDirectory() throws Exception {
        try (BrokerProcess first = BrokerProcess.start(folder.resolve("data"), 0);
                CommandProcess second = start()) {
            assertThat(second.exitCode()).as(second::err).isEqualTo(1);
            assertThat(second.err()).contains(folder.resolve("data") + " is in use by process " + first.pid());
            assertThat(second.out()).isEmpty();
        }
    }

    @Test
    void shouldExitWith143AtSigterm() throws Exception {
        try (CommandProcess broker = start()) {
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> new String(broker.out(), UTF_8).startsWith("ready rocketlog="));
            broker.signal("TERM");
            assertThat(broker.exitCode()).as(broker::err).isEqualTo(143);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "broker, flush = sometimes, rocketlog.flush",
        "broker, produce.window = 1000, rocketlog.produce.window",
        "broker --check-config, consumer.poll-delay = soon, rocketlog.consumer.poll-delay",
        "consume orders, consumer.poll-delay = soon, rocketlog.consumer.poll-delay",
        "produce orders, producer.mode = both, rocketlog.producer.mode",
        "topics, flsh = always, rocketlog.flsh"
    })
    void shouldExitWithThreeAndNameTheFileAndTheLineOfAWrongSetting(String command, String setting, String key)
            throws Exception {
        Path file = Files.writeString(folder.resolve("wrong.conf"), "rocketlog {\n  " + setting + "\n}\n");
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.addAll(List.of("--config", file.toString()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Streams streams = new Streams(
                "rocketlog",
                InputStream.nullInputStream(),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
        assertThat(Main.run(arguments.toArray(String[]::new), streams))
                .as(err::toString)
                .isEqualTo(3);
        assertThat(err.toString(UTF_8)).contains(file + ": 2: " + key + ": ");
        assertThat(out.size()).isZero();
    }
}
