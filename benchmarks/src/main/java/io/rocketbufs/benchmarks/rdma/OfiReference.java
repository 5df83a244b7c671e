package io.rocketbufs.benchmarks.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.benchmarks.CCompiler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The C program {@code ofi_reference.c}. It uses the window and the limits of the transport's configuration. */
final class OfiReference {
    private static final long PATIENCE_S = 15;
    private static final double SECOND_MS = 1e3;

    private final Path program;
    private final String address;
    private final Config settings;

    /**
     * Compiles the program.
     *
     * @param folder folder for the source and the program
     * @param address the address to listen on
     * @param settings the transport's section of the configuration
     * @throws IOException if compiling fails; the message contains the compiler's output
     */
    OfiReference(Path folder, String address, Config settings) throws IOException, InterruptedException {
        this.program = CCompiler.compile("ofi_reference", folder, List.of("-lfabric"));
        this.address = address;
        this.settings = settings;
    }

    /**
     * Performs one measurement with two new processes.
     *
     * @throws IOException if the program does not end in time or fails; on failure, it prints the reason to standard
     *     error
     */
    double measure(Quantity quantity, int size, long durationMs) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        program.toString(),
                        quantity.toString(),
                        settings.getString("provider"),
                        address,
                        Integer.toString(size),
                        settings.getString("window"),
                        settings.getString("signal-interval"),
                        settings.getString("inject-threshold"),
                        Double.toString(durationMs / SECOND_MS))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (!process.waitFor(PATIENCE_S + TimeUnit.MILLISECONDS.toSeconds(durationMs), TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new IOException("ofi_reference did not end: " + quantity + ", size=" + size);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.exitValue() != 0) {
            throw new IOException("ofi_reference failed: exit code " + process.exitValue());
        }
        return Double.parseDouble(output);
    }
}
