package io.rocketbufs.livestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.Streams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LivestreamScenariosTest {
    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldAcceptEachScenarioForRelayAndEdge(Path scenario) {
        check(ServerProcess.RELAY, scenario);
        check(ServerProcess.EDGE, scenario);
    }

    private static void check(String command, Path scenario) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (PrintStream toOut = new PrintStream(out, true, StandardCharsets.UTF_8);
                PrintStream toErr = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            Streams streams = new Streams("livestream", InputStream.nullInputStream(), toOut, toErr);
            String[] arguments = {command, "--check-config", "--config", scenario.toString()};
            assertThat(LivestreamMain.run(arguments, streams))
                    .as(() -> err.toString(StandardCharsets.UTF_8))
                    .isZero();
        }
    }

    private static Stream<Path> scenarios() throws IOException {
        return Files.list(Path.of("..", "conf"))
                .filter(file -> file.getFileName().toString().startsWith("live-"));
    }
}
