package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.benchmarks.CCompiler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The C program ofi_reference.c: builds it where it is to run, and runs it. */
final class OfiReference {
    private static final String NAME = "ofi_reference";
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
        try {
            return new OfiReference(CCompiler.compile(NAME, folder, List.of("-lfabric")));
        } catch (IOException e) {
            String said = String.valueOf(e.getMessage());
            if (said.contains("rdma/") || said.contains("-lfabric")) {
                throw new IOException("no libfabric to compile with: apt-get install libfabric-dev\n" + said, e);
            }
            throw e;
        }
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
