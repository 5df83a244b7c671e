package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file with the token of a benchmark's processes. Only the user who runs the benchmark can read the file. Command
 * lines contain only the name of the file, because every user of the machine can read them.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns the file, which {@link #close} removes.
 */
final class BenchToken implements AutoCloseable {
    private final Path file;

    BenchToken(String token) {
        try {
            file = Files.createTempFile("rbmq-bench-", ".token");
            file.toFile().deleteOnExit(); // in case the benchmark is interrupted or the file cannot be written
            Files.writeString(file, token);
        } catch (IOException e) {
            throw CommandFailure.failed("the benchmark's token cannot be written: " + Reason.of(e));
        }
    }

    Path file() {
        return file;
    }

    /** Returns the arguments that make a process present the token. They override the configuration of the process. */
    List<String> toArguments() {
        return List.of(TokenOption.NAME, file.toString());
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw CommandFailure.failed("the benchmark's token cannot be removed: " + Reason.of(e));
        }
    }
}
