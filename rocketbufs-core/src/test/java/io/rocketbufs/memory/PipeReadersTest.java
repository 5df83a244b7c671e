package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("once")
final class PipeReadersTest {
    private static final int SHORT_MS = 10;
    private static final int LONG_MS = 30_000;

    @Test
    void shouldFindThatThePipeHasNoReaderWhenItsReaderEnds() throws Exception {
        // The reader goes on without its input, because Java closes the pipe to a process that ends.
        Process reader = new ProcessBuilder("sh", "-c", "read line; exec 0<&-; exec sleep 60").start();
        try (OutputStream toReader = reader.getOutputStream()) {
            PipeReaders readers = PipeReaders.of(descriptorOfPipeTo(reader));
            assertThat(readers.awaitNone(SHORT_MS)).isFalse();
            toReader.write('\n');
            toReader.flush();
            assertThat(readers.awaitNone(LONG_MS)).isTrue();
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldIgnoreADescriptorThatIsNoPipe() throws IOException {
        Path file = Files.createTempFile("no-pipe", null);
        try (FileOutputStream out = new FileOutputStream(file.toFile())) {
            out.write(1);
            assertThat(PipeReaders.of(descriptorOf(file.toString())).awaitNone(SHORT_MS))
                    .isFalse();
        } finally {
            Files.delete(file);
        }
    }

    /** Returns the descriptor of this process's end of the pipe that is the standard input of another process. */
    private static int descriptorOfPipeTo(Process process) throws IOException {
        String pipe = Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/fd/0"))
                .toString();
        return descriptorOf(pipe);
    }

    private static int descriptorOf(String target) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> target(each).equals(target))
                    .mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
