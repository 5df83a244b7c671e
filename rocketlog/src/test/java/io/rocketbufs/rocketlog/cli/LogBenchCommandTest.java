package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.text.HostPort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code rocketlog bench} in the test's own process. */
@Tag("once")
@Timeout(600)
final class LogBenchCommandTest {
    @TempDir
    Path folder;

    private final RecordedStreams recorded = new RecordedStreams("rocketlog");

    private int run(String arguments, String... more) {
        recorded.clear();
        List<String> all = new ArrayList<>(List.of("bench"));
        all.addAll(List.of(arguments.split(" ")));
        all.addAll(Arrays.asList(more));
        return Main.run(all.toArray(String[]::new), recorded.withoutInput());
    }

    private void assertRefused(int code, String reason, String arguments) {
        assertThat(run(arguments)).as(recorded::err).isEqualTo(code);
        assertThat(recorded.err()).contains(reason);
    }

    @Test
    void shouldRefuseWhatCannotBeMeasured() {
        assertRefused(2, "Missing required option: '--duration=DURATION'", "produce");
        assertRefused(2, "--duration: must be positive", "produce --duration 0s");
        assertRefused(2, "--size 15: must be at least 16", "produce --duration 1s --size 15");
        for (String size : List.of("2MiB", "1GiB")) {
            assertRefused(
                    2,
                    ": must be at most 1048",
                    "produce --duration 1s --one-process --set=rocketbufs.transport=tcp --size " + size);
        }
        assertRefused(2, "--partitions 0: is not a number from 1 to 256", "poll --duration 1s --partitions 0");
        assertRefused(2, "--producers 257: is not a number from 1 to 256", "produce --duration 1s --producers 257");
        assertRefused(2, "--rate -1: is not a number from 1 to ", "fanout --duration 1s --rate -1");
        assertRefused(2, "--consumers: does not apply to bench produce", "produce --duration 1s --consumers 1");
        assertRefused(2, "--producers: does not apply to bench poll", "poll --duration 1s --producers 1");
        assertRefused(2, "--rate: does not apply to bench consume", "consume --duration 1s --rate 1");
        assertRefused(
                2, "--consumers 3: is more than --partitions 2", "endtoend --duration 1s --consumers 3 --partitions 2");
        assertRefused(
                2,
                "--producers 2: is more than --partitions 1, and in the mode exclusive",
                "produce --duration 1s --producers 2 --mode exclusive");
        assertRefused(3, "--batch: rocketlog.producer.batch: 1000 bytes", "produce --duration 1s --batch 1000");
        assertRefused(
                3,
                "rocketlog.producer.mode: the modes exclusive and shared require acks leader",
                "produce --duration 1s --mode shared --acks none");
        assertRefused(2, "Unknown command: 'endtend'", "endtend --duration 1s");
    }

    @Test
    void shouldMeasureAnotherBrokerAndDeleteItsTopicIfThatIsPermitted() {
        for (boolean isPermitted : new boolean[] {true, false}) {
            String deletable = "rocketlog.deletable-topics = [" + (isPermitted ? "\"*\"" : "") + "]";
            try (RunningLogBroker broker = new RunningLogBroker(folder, "rocketbufs.transport = tcp", deletable)) {
                String arguments = "produce --json --duration 300ms --warmup 100ms --batch 4KiB --acks none";
                assertThat(run(
                                arguments,
                                "--set",
                                "rocketbufs.transport=tcp",
                                "--broker",
                                HostPort.of(broker.address())))
                        .as(recorded::err)
                        .isZero();
                Config result = Json.parse(recorded.out());
                assertThat(result.getString("acks")).isEqualTo("none");
                assertThat(result.getInt("batch")).isEqualTo(4096);
                assertThat(result.getIsNull("broker_calls.produce")).isTrue();
                assertThat(result.getIsNull("cpu_s.broker")).isTrue();
                assertThat(Json.parse(broker.status()).getInt("topics")).isEqualTo(isPermitted ? 0 : 1);
                assertThat(recorded.err().contains(" remains: ")).isEqualTo(!isPermitted);
                try (TopicClient topics = TopicClient.connect(broker.clients(), broker.settings())) {
                    assertThat(topics.topics())
                            .allSatisfy(topic -> assertThat(topics.state(topic.name())
                                            .ownOptions()
                                            .retentionMs())
                                    .isEqualTo(LogTopicOptions.UNLIMITED));
                }
            }
        }
    }
}
