package io.rocketbufs.benchmarks.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The C program ofi_reference.c: builds it where it is to run, and runs it. */
final class OfiReference {
    private static final String SOURCE = "ofi_reference.c";
    private static final long PATIENCE_S = 10;
    /** The options that it has. */
    private static final List<String> OPTIONS = List.of(
            "provider",
            "address",
            "mode",
            "size",
            "capacity",
            "window",
            "signal-interval",
            "inject",
            "credit",
            "wait",
            "duration",
            "warmup");

    private final Path program;

    private OfiReference(Path program) {
        this.program = program;
    }

    /**
     * Compiles the program.
     *
     * @param folder where source and program go
     * @throws IOException saying what is missing, and which package has it
     */
    static OfiReference build(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve(SOURCE);
        try (InputStream content = OfiReference.class.getResourceAsStream(SOURCE)) {
            Files.copy(content, source, StandardCopyOption.REPLACE_EXISTING);
        }
        Path program = folder.resolve("ofi_reference");
        List<String> command = List.of(
                "gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program.toString(), source.toString(), "-lfabric");
        Process compiler;
        try {
            compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("no C compiler: apt-get install gcc libc6-dev libfabric-dev", e);
        }
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            boolean missing = output.contains("rdma/") || output.contains("-lfabric");
            throw new IOException(
                    (missing ? "no libfabric to compile with: apt-get install libfabric-dev\n" : "") + output);
        }
        return new OfiReference(program);
    }

    /**
     * Runs it once.
     *
     * @throws HangException when it did not end, as happens with the provider "sockets"
     * @throws IOException when it failed; it has said why on the standard error
     */
    BenchResult measure(BenchOptions options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        for (String name : OPTIONS) {
            command.addAll(List.of("--" + name, options.text(name)));
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long limitS = PATIENCE_S + (options.nanoseconds("duration") + options.nanoseconds("warmup")) / 1_000_000_000L;
        if (!process.waitFor(limitS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new HangException(limitS);
        }
        String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.exitValue() != 0) {
            throw new IOException("ofi_reference failed: exit code " + process.exitValue());
        }
        return new BenchResult(line);
    }

    /** It did not end; the server's process ends with the client's. */
    static final class HangException extends IOException {
        private static final long serialVersionUID = 1L;

        HangException(long seconds) {
            super("ofi_reference did not end within " + seconds + " s");
        }
    }
}
