package io.rocketbufs.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSpaceTest {
    @TempDir
    Path folder;

    @Test
    void shouldExtendAFileWithZerosAndKeepItsContent() throws IOException {
        Path file = Files.writeString(folder.resolve("größe"), "content");
        FileSpace.allocate(file, 10_000);
        byte[] bytes = Files.readAllBytes(file);
        assertThat(bytes).hasSize(10_000);
        assertThat(new String(bytes, 0, 7, UTF_8)).isEqualTo("content");
        for (int i = 7; i < bytes.length; i++) {
            assertThat(bytes[i]).as("byte %d", i).isZero();
        }
    }

    @Test
    void shouldLeaveALongerFileAsItIs() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "content");
        FileSpace.allocate(file, 3);
        assertThat(file).hasContent("content");
    }

    @Test
    void shouldNameTheFileAndTheReasonWhenTheSystemRefuses() throws IOException {
        assertThatThrownBy(() -> FileSpace.allocate(folder.resolve("missing"), 10))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.resolve("missing").toString())
                .hasMessageContaining("No such file");
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> FileSpace.allocate(file, Long.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }
}
