package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PortsTest {
    private final Ports ports = Ports.of("relay", 7620)
            .and("raw", 1)
            .and("ingest", 7621)
            .and("raw", 2)
            .and("raw", 3);

    @TempDir
    Path folder;

    @Test
    void shouldKeepTheOrderAndNumberDuplicateNames() {
        assertThat(ports.readyLine()).isEqualTo("ready relay=7620 raw=1 ingest=7621 raw-2=2 raw-3=3");
    }

    @Test
    void shouldParseItsOwnReadyLine() {
        assertThat(Ports.parse(ports.readyLine())).isEqualTo(ports);
        assertThat(Ports.parse(ports.readyLine()).readyLine()).isEqualTo(ports.readyLine());
    }

    @Test
    void shouldReplaceAFileWithOneLineForEachPort() throws IOException {
        Path file = folder.resolve("ports");
        Files.writeString(file, "old");
        Ports.of("a", 1).and("b", 2).writeTo(file);
        assertThat(file).hasContent("a=1\nb=2\n");
        assertThat(folder).isDirectoryContaining(path -> path.equals(file));
        assertThat(folder.toFile().list()).hasSize(1);
    }
}
