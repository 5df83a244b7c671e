package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("once")
final class LivestreamScenariosTest {
    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldAcceptEachScenarioForRelayAndEdge(Path scenario) {
        check(ServerProcess.RELAY, scenario);
        check(ServerProcess.EDGE, scenario);
    }

    private static void check(String command, Path scenario) {
        RecordedStreams recorded = new RecordedStreams("livestream");
        String[] arguments = {command, "--check-config", "--config", scenario.toString()};
        assertThat(LivestreamMain.run(arguments, recorded.withoutInput()))
                .as(recorded::err)
                .isZero();
    }

    private static Stream<Path> scenarios() throws IOException {
        return Files.list(Path.of("..", "conf"))
                .filter(file -> file.getFileName().toString().startsWith("live-"));
    }
}
