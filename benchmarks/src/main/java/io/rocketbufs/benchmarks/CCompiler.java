package io.rocketbufs.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** A compiler for the C programs that are part of the benchmarks. */
public final class CCompiler {
    private static final String SOURCES = "/c/";
    /** The headers that programs include. */
    private static final List<String> HEADERS = List.of("bench.h", "log_segments.h", "log_load.h");

    private CCompiler() {}

    /**
     * Compiles one program.
     *
     * @param name name of the program's source file without its extension
     * @param folder folder for the source and the program
     * @param flags additional compiler arguments, including libraries
     * @return the program
     * @throws IOException if compiling fails or no compiler is installed; the message contains the compiler's output or
     *     the packages to install
     */
    public static Path compile(String name, Path folder, List<String> flags) throws IOException, InterruptedException {
        for (String header : HEADERS) {
            copy(header, folder);
        }
        Path source = copy(name + ".c", folder);
        Path program = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-Wall", "-Wextra", "-Werror"));
        command.addAll(List.of("-o", program.toString(), source.toString()));
        command.addAll(flags);
        Process compiler;
        try {
            compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("no C compiler is installed; install one with: apt-get install gcc libc6-dev", e);
        }
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException(output);
        }
        return program;
    }

    private static Path copy(String file, Path folder) throws IOException {
        Path copy = folder.resolve(file);
        try (InputStream content = CCompiler.class.getResourceAsStream(SOURCES + file)) {
            Files.copy(content, copy, StandardCopyOption.REPLACE_EXISTING);
        }
        return copy;
    }
}
