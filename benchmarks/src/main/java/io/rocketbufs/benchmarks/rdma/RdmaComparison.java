package io.rocketbufs.benchmarks.rdma;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.benchmarks.Machine;
import io.rocketbufs.benchmarks.MedianEstimate;
import io.rocketbufs.benchmarks.Packages;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bin/bench rdma}, which compares the RDMA path in Java with a C program over libfabric in alternating
 * measurements.
 */
@Command(
        name = "rdma",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        description = "Measures messages, reads of the peer's memory and additions to it, over RDMA in Java and in a C"
                + " program over libfabric, alternately on this machine, and reports the ratios.")
public final class RdmaComparison implements Callable<Integer> {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int MISSING = 69;
    private static final int QUICK_REPETITIONS = 3;
    private static final long QUICK_DURATION_MS = 500;
    private static final long QUICK_WARMUP_MS = 1500;
    private static final List<String> PACKAGES = List.of("gcc", "libc6-dev", "libfabric-dev");

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            defaultValue = "tcp",
            description = "libfabric provider; ${DEFAULT-VALUE} by default.")
    private String provider;

    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Address to listen on; verbs requires the device's address; ${DEFAULT-VALUE} by default.")
    private String address;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "64,4096,65536",
            description = "Message sizes in bytes, at least 8; ${DEFAULT-VALUE} by default.")
    private List<Integer> sizes;

    @Option(
            names = "--read-sizes",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "4096,65536",
            description = "Lengths of reads in bytes, multiples of 8; ${DEFAULT-VALUE} by default.")
    private List<Integer> readSizes;

    @Option(
            names = "--quantities",
            split = ",",
            paramLabel = "NAME",
            description = "Quantities to measure: ${COMPLETION-CANDIDATES}; all by default.")
    private List<Quantity> quantities = List.of(Quantity.values());

    @Option(
            names = "--quick",
            description = "Three pairs of measurements of 0.5 s for each row, which take about two minutes.")
    private boolean quick;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "9",
            description = "Number of pairs of measurements for each size; ${DEFAULT-VALUE} by default.")
    private int repetitions;

    @Option(
            names = "--duration",
            paramLabel = "MS",
            defaultValue = "1000",
            description = "Duration of each measurement in milliseconds; ${DEFAULT-VALUE} by default.")
    private long durationMs;

    @Option(
            names = "--warmup",
            paramLabel = "MS",
            defaultValue = "3000",
            description = "Duration of Java's warm-up before the first pair of each size, in milliseconds. Excludes"
                    + " JIT compilation from the measurements; ${DEFAULT-VALUE} by default.")
    private long warmupMs;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for rdma.md and rdma.csv; by default, these files are not written.")
    private Path out;

    private final PrintStream output;
    private final PrintStream progress;
    private final StringBuilder csv = new StringBuilder("quantity,size,repetition,c,java\n");
    private final StringBuilder table = new StringBuilder();

    RdmaComparison(PrintStream output, PrintStream progress) {
        this.output = output;
        this.progress = progress;
    }

    /** Runs the comparison and prints the results. */
    public static void main(String[] arguments) {
        System.exit(commandLine(System.out, System.err).execute(arguments));
    }

    static CommandLine commandLine(PrintStream output, PrintStream progress) {
        return new CommandLine(new RdmaComparison(output, progress))
                .setErr(new PrintWriter(progress, true))
                .setExecutionExceptionHandler((failure, command, result) -> {
                    progress.println("bench: " + failure);
                    return FAILED;
                });
    }

    @Override
    public Integer call() throws Exception {
        List<String> missing = Packages.missing(PACKAGES);
        if (!missing.isEmpty()) {
            progress.println("bench: " + Packages.remedy(missing));
            return MISSING;
        }
        Config config = ConfigFactory.parseString(
                        "rocketbufs { transport = rdma, rdma.provider = \"" + provider + "\" }")
                .withFallback(ConfigFactory.load())
                .resolve();
        if (quick) {
            repetitions = QUICK_REPETITIONS;
            durationMs = QUICK_DURATION_MS;
            warmupMs = QUICK_WARMUP_MS;
        }
        table.append(String.format(
                "- date: %s%n- machine: %s%n- Java: %s%n- provider: %s%n- repetitions: %d of %d ms%n%n",
                LocalDate.now(), Machine.here(), Runtime.version(), provider, repetitions, durationMs));
        table.append("| | size | C | Java | Java / C | 95 % interval | goal |\n|---|---|---|---|---|---|---|\n");
        Path folder = Files.createTempDirectory("bench-rdma");
        try (JavaPath messages = new JavaPath(address, config);
                RemotePath memory = new RemotePath(address, config)) {
            OfiReference c = new OfiReference(folder, address, config.getConfig("rocketbufs.rdma"));
            for (Quantity quantity : quantities) {
                for (int size : sizes(quantity)) {
                    compare(quantity, size, c, quantity.isRemote() ? memory : messages);
                }
            }
        } finally {
            delete(folder);
        }
        output.print(table);
        if (out != null) {
            Files.createDirectories(out);
            Files.writeString(out.resolve("rdma.csv"), csv);
            Files.writeString(out.resolve("rdma.md"), "# The RDMA path compared with C\n\n" + table);
        }
        return DONE;
    }

    private List<Integer> sizes(Quantity quantity) {
        if (quantity.adds()) {
            return List.of(Long.BYTES);
        }
        return quantity.isRemote() ? readSizes : sizes;
    }

    private void compare(Quantity quantity, int size, OfiReference c, JavaMeasurement java) throws Exception {
        if (warmupMs > 0) {
            java.measure(quantity, size, warmupMs);
        }
        double[] ofC = new double[repetitions];
        double[] ofJava = new double[repetitions];
        for (int i = 0; i < repetitions; i++) {
            if (i % 2 == 0) {
                ofC[i] = c.measure(quantity, size, durationMs);
            }
            ofJava[i] = java.measure(quantity, size, durationMs);
            if (i % 2 == 1) {
                ofC[i] = c.measure(quantity, size, durationMs);
            }
            String line = String.format(Locale.ROOT, "%s,%d,%d,%.1f,%.1f%n", quantity, size, i, ofC[i], ofJava[i]);
            progress.print(line);
            csv.append(line);
        }
        MedianEstimate ratio = MedianEstimate.ofRatios(ofJava, ofC);
        table.append(String.format(
                Locale.ROOT,
                "| %s | %,d B | %s | %s | %.3f | %.3f to %.3f | %s |%n",
                quantity.title(),
                size,
                quantity.text(MedianEstimate.median(ofC)),
                quantity.text(MedianEstimate.median(ofJava)),
                ratio.median(),
                ratio.low(),
                ratio.high(),
                quantity.goal()));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
