package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.bench.BenchResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BenchListenersTest {
    private static final String FILE = "rbmq.client.token-file=\"";

    @Test
    void shouldKeepTheTokenOutOfCommandLines() throws IOException {
        Path file;
        try (BenchListeners listeners =
                new BenchListeners(RunningBroker.config(), new BenchResult.Transports("tcp", "tcp"))) {
            List<String> arguments = listeners.brokerArguments();
            assumeThat(arguments)
                    .as("this machine has an address other than loopback")
                    .anyMatch(a -> a.startsWith(FILE));
            String argument = arguments.stream()
                    .filter(each -> each.startsWith(FILE))
                    .findFirst()
                    .orElseThrow();
            file = Path.of(argument.substring(FILE.length(), argument.length() - 1));
            String token = Files.readString(file);
            assertThat(token).isNotBlank();
            assertThat(arguments).noneMatch(each -> each.contains(token));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(file).doesNotExist();
    }
}
