package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.TransportPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("once")
final class RbmqScenariosTest {
    private static final Path FOLDER = Path.of("..", "conf");

    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldAcceptTheConfigurationOfEachScenario(Path scenario) {
        run("broker", "--check-config", "--config", scenario.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldHaveAScenarioForEachPairOfTransports(TransportPair pair) {
        if (pair.usesRdma()) {
            TransportPair.assumeRdma();
        }
        Path scenario = FOLDER.resolve(pair.publisher() + "-" + pair.subscriber() + ".conf");
        Config result = await().until(() -> demo(scenario), each -> each.getDouble("delivered_per_s") > 0);
        assertThat(result.getString("transport.publisher")).isEqualTo(pair.publisher());
        assertThat(result.getString("transport.subscriber")).isEqualTo(pair.subscriber());
        assertThat(result.getLong("lost")).isZero();
    }

    private static Config demo(Path scenario) {
        String[] lines = run(
                        "demo",
                        "--json",
                        "--warmup=100ms",
                        "--duration=200ms",
                        "--one-process",
                        "--config=" + scenario,
                        "--set=rocketbufs.rdma.provider=tcp")
                .split("\n");
        return Json.parse(lines[lines.length - 1]);
    }

    private static String run(String... arguments) {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        assertThat(Main.run(arguments, recorded.withoutInput()))
                .as(recorded::err)
                .isZero();
        return recorded.out();
    }

    private static Stream<Path> scenarios() throws IOException {
        return Files.list(FOLDER).filter(file -> {
            String name = file.getFileName().toString();
            return name.endsWith(".conf") && !name.startsWith("live-");
        });
    }
}
