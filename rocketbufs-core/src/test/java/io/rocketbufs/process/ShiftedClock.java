package io.rocketbufs.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The time of day of other processes, which a test can shift while the processes run. The monotonic clocks of these
 * processes stay unchanged. Requires gcc.
 *
 * <p><b>Thread-safety:</b> the test's thread.
 */
public final class ShiftedClock {
    private static final long COMPILE_S = 60;

    private final Path library;
    private final Path file;
    private final MappedByteBuffer shared;

    /** Creates a clock that is not shifted yet, and stores its files in the given folder. */
    public ShiftedClock(Path folder) {
        try {
            Files.createDirectories(folder);
            this.library = compile(folder);
            this.file = folder.resolve("shift");
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                shared = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES);
                shared.order(ByteOrder.nativeOrder());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path compile(Path folder) throws IOException {
        Path source = folder.resolve("shifted-clock.c");
        try (InputStream resource = ShiftedClock.class.getResourceAsStream("/shifted-clock.c")) {
            Files.copy(resource, source);
        }
        Path library = folder.resolve("shifted-clock.so");
        Path output = folder.resolve("gcc.txt");
        Process gcc = new ProcessBuilder(
                        "gcc", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-o", "" + library, "" + source)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!gcc.waitFor(COMPILE_S, TimeUnit.SECONDS) || gcc.exitValue() != 0) {
                throw new IllegalStateException("gcc failed: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while gcc ran", e);
        } finally {
            gcc.destroyForcibly();
        }
        return library;
    }

    /** Returns the environment variables for a process that reads this clock. */
    public Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SHIFT", file.toString());
    }

    /** Sets the difference from the real time; a negative value sets the clock back. */
    public void set(Duration shift) {
        shared.putLong(0, shift.toSeconds());
    }

    /** Returns the number of times that the processes have read a shifted time. */
    public long readCount() {
        return shared.getLong(Long.BYTES);
    }
}
