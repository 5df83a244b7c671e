package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file with the token of a benchmark's processes, which only this user can read. Command lines name only the file,
 * because every user of this machine can read them.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Ownership:</b> owns the file, which {@link #close} removes.
 */
final class BenchToken implements AutoCloseable {
    private final Path file;

    BenchToken(String token) {
        try {
            file = Files.createTempFile("rbmq-bench-", ".token");
            file.toFile().deleteOnExit(); // if the benchmark is interrupted, or the file cannot be written
            Files.writeString(file, token);
        } catch (IOException e) {
            throw CommandFailure.failed("the benchmark's token cannot be written: " + Reason.of(e));
        }
    }

    Path file() {
        return file;
    }

    /** Returns the arguments of a process that presents the token; they override its configuration. */
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
