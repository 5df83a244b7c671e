package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.bench.BenchResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BenchListenersTest {
    @Test
    void shouldKeepTheTokenOutOfCommandLines() throws IOException {
        Path file;
        try (BenchListeners listeners =
                new BenchListeners(RunningBroker.config(), new BenchResult.Transports("tcp", "tcp"))) {
            assumeThat(listeners.token())
                    .as("this machine has a non-loopback address")
                    .isNotNull();
            file = listeners.token().file();
            String token = Files.readString(file);
            assertThat(token).isNotBlank();
            assertThat(listeners.token().toArguments()).containsExactly("--token-file", file.toString());
            assertThat(listeners.brokerArguments())
                    .noneMatch(each -> each.contains(token))
                    .anyMatch(each -> each.contains("token-file=\"" + file + "\""));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        assertThat(file).doesNotExist();
    }
}
