package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

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

final class ScenariosTest {
    private static final Path FOLDER = Path.of("..", "conf");

    @ParameterizedTest
    @MethodSource("scenarios")
    void shouldTakeEachScenarioForAGoodConfiguration(Path scenario) throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            String[] arguments = {"broker", "--check-config", "--config", scenario.toString()};
            int code = Main.run(arguments, new Streams(InputStream.nullInputStream(), out, out));
            assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
        }
    }

    private static Stream<Path> scenarios() throws IOException {
        return Files.list(FOLDER);
    }
}
