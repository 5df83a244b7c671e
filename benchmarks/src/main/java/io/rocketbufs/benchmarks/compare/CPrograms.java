package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.transport.OfiComparison;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The programs in C that load the others' brokers, compiled where they are to run. */
final class CPrograms {
    private static final String LOAD = "peer_load";
    private static final String RELAY = "raw_relay";

    private final Path folder;

    private CPrograms(Path folder) {
        this.folder = folder;
    }

    /**
     * Compiles them, with the client libraries that are there.
     *
     * @param folder where sources and programs go
     * @throws IOException saying what is missing, and which package has it
     */
    static CPrograms build(Path folder) throws IOException, InterruptedException {
        List<String> libraries = new ArrayList<>(List.of("-pthread"));
        libraries.add(Packages.missing(List.of("libhiredis-dev")).isEmpty() ? "-lhiredis" : "-DWITHOUT_HIREDIS");
        libraries.add(Packages.missing(List.of("librabbitmq-dev")).isEmpty() ? "-lrabbitmq" : "-DWITHOUT_RABBITMQ");
        compile(folder, LOAD, libraries);
        compile(folder, RELAY, List.of());
        return new CPrograms(folder);
    }

    private static void compile(Path folder, String name, List<String> more) throws IOException, InterruptedException {
        Path source = folder.resolve(name + ".c");
        try (InputStream content = OfiComparison.class.getResourceAsStream(name + ".c")) {
            Files.copy(content, source, StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-Wall", "-Wextra", "-Werror"));
        command.addAll(List.of("-o", folder.resolve(name).toString(), source.toString()));
        command.addAll(more);
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException(output);
        }
    }

    String load() {
        return folder.resolve(LOAD).toString();
    }

    String relay() {
        return folder.resolve(RELAY).toString();
    }

    Path folder() {
        return folder;
    }
}
