package io.rocketbufs.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** Compiles the programs in C that come with the benchmarks, where they are to run. */
public final class CCompiler {
    private static final String SOURCES = "/c/";

    private CCompiler() {}

    /**
     * Compiles one.
     *
     * @param name of its source, without the ending
     * @param folder where source and program go
     * @param flags more of the compiler's arguments, libraries among them
     * @return the program
     * @throws IOException with what the compiler has said, or where there is none, how to get one
     */
    public static Path compile(String name, Path folder, List<String> flags) throws IOException, InterruptedException {
        Path source = folder.resolve(name + ".c");
        try (InputStream content = CCompiler.class.getResourceAsStream(SOURCES + name + ".c")) {
            Files.copy(content, source, StandardCopyOption.REPLACE_EXISTING);
        }
        Path program = folder.resolve(name);
        List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-Wall", "-Wextra", "-Werror"));
        command.addAll(List.of("-o", program.toString(), source.toString()));
        command.addAll(flags);
        Process compiler;
        try {
            compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("no C compiler: apt-get install gcc libc6-dev", e);
        }
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException(output);
        }
        return program;
    }
}
