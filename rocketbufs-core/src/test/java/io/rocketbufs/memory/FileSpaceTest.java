package io.rocketbufs.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
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
    void shouldFillAFileWithZerosKeepItsContentAndNeverShortenIt() throws IOException {
        Path file = Files.writeString(folder.resolve("größe"), "content");
        FileSpace.fill(file, 10_000);
        FileSpace.fill(file, 3);
        byte[] expected = Arrays.copyOf("content".getBytes(UTF_8), 10_000);
        assertThat(file).hasBinaryContent(expected);
        assertThatThrownBy(() -> FileSpace.fill(file, Long.MAX_VALUE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
        assertThat(file).hasBinaryContent(expected);
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

    @Test
    void shouldFindTheDataBehindAHole() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        long mib = 1 << 20;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1).put(0, (byte) 1), 8 * mib);
            channel.write(ByteBuffer.allocate(1), 32 * mib - 1);
        }
        assertThat(FileSpace.nextData(file, 0)).isBetween(7 * mib, 8 * mib);
        assertThat(FileSpace.nextData(file, 8 * mib)).isEqualTo(8 * mib);
        assertThat(FileSpace.nextData(file, 9 * mib)).isBetween(31 * mib, 32 * mib - 1);
        assertThat(FileSpace.nextData(file, 32 * mib)).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> FileSpace.nextData(folder.resolve("missing"), 0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No such file");
    }
}
