package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Configurations for tests, with a socket directory that belongs to this process. */
final class ShmEnds {
    private static final Path DIRECTORY = newDirectory();

    private ShmEnds() {}

    private static Path newDirectory() {
        try {
            Path directory = Files.createTempDirectory("rocketnet-shm");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the socket directory. */
    static Path directory() {
        return DIRECTORY;
    }

    /**
     * Returns the number of sockets, pipes, temporary files and shared memory objects that this process has open. Other
     * files are not counted, because the JVM may open them at any time and keep them open.
     */
    static long descriptors() {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(ShmEnds::isOfTests).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOfTests(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return Stream.of("socket:", "pipe:", "/memfd:", System.getProperty("java.io.tmpdir"))
                    .anyMatch(target::startsWith);
        } catch (IOException e) {
            return false; // closed in the meantime
        }
    }

    /** Returns the number of mappings of shared memory objects in this process. */
    static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns {@code base} with the directory and the given keys below {@code rocketbufs.shm}. */
    static Config config(Config base, String keys) {
        return ConfigFactory.parseString("rocketbufs.shm { " + keys + "\n directory = \"" + DIRECTORY + "\" }")
                .withFallback(base);
    }
}
