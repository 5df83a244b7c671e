package io.rocketbufs.benchmarks.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A transport against the C program that does the same over libfabric, in interleaved pairs: C Java, Java C, and so on.
 *
 * <p>Both programs run as two processes and exchange the same messages. Every run has a connection of its own. The C
 * program starts anew each time; the two JVMs live through all runs of one size and run each mode before the first
 * pair, {@code --java-warmup} seconds, so that compiling is no part of what is compared: a transport lives long.
 *
 * <p>Printed is a table for each mode: the medians of both, and the median of the ratios of the pairs with its 95 %
 * interval. A larger rate is better, a smaller latency is.
 *
 * <p>Usage: {@code java -cp benchmarks.jar io.rocketbufs.benchmarks.transport.OfiComparison --transport rdma --provider
 * tcp [--pairs 15] [--sizes 8,64,…] [--modes rate,latency]} and the options of {@link TransportBench}.
 * {@code --in-flight B} limits the window to so many bytes; the provider "sockets" hangs now and then without (default
 * for it: 128 KiB). A run of the C program that hangs is repeated, and counted.
 */
public final class OfiComparison {
    private static final int SOCKETS_IN_FLIGHT = 128 * 1024;
    private static final int ATTEMPTS = 4;

    private final BenchOptions options;
    private final OfiReference reference;
    private int hangs;

    private OfiComparison(BenchOptions options, OfiReference reference) {
        this.options = options;
        this.reference = reference;
    }

    /** Measures and prints. */
    public static void main(String[] arguments) throws Exception {
        BenchOptions options = BenchOptions.parse(arguments);
        Path folder = Files.createTempDirectory("ofi-reference");
        try {
            new OfiComparison(options, OfiReference.build(folder)).run();
        } finally {
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private void run() throws Exception {
        List<String> unknown = TransportChoice.unknown(options);
        if (!unknown.isEmpty()) {
            System.err.println("transport " + options.text("transport") + " has no key for " + unknown
                    + ": it goes its own way there, the C program does not");
        }
        List<ComparisonTable> tables = options.list("modes").stream()
                .map(mode -> new ComparisonTable(options.with("mode", mode).mode()))
                .toList();
        for (String size : options.list("sizes")) {
            BenchOptions sized = options.with("size", size).with("window", window(Integer.parseInt(size)));
            try (JavaPair pair = new JavaPair(sized)) {
                for (ComparisonTable table : tables) {
                    compare(pair, sized.with("mode", table.mode().name()), table);
                }
            }
        }
        tables.forEach(table -> System.out.println(table.text()));
        System.out.printf(
                "pairs: %s; runs of the C program that hung and were repeated: %d%n", options.text("pairs"), hangs);
    }

    private int window(int size) {
        int inFlight = options.number("in-flight");
        if (inFlight == 0 && options.text("provider").equals("sockets")) {
            inFlight = SOCKETS_IN_FLIGHT;
        }
        int window = options.number("window");
        return inFlight == 0 ? window : Math.min(window, Math.max(1, inFlight / size));
    }

    private void compare(JavaPair pair, BenchOptions sized, ComparisonTable table) throws Exception {
        BenchRun run = sized.run();
        pair.measure(run.lasting(0, sized.nanoseconds("java-warmup")));
        int pairs = sized.number("pairs");
        BenchResult[] c = new BenchResult[pairs];
        BenchResult[] java = new BenchResult[pairs];
        for (int i = 0; i < pairs; i++) {
            if (i % 2 == 0) {
                c[i] = reference(sized);
            }
            java[i] = pair.measure(run);
            if (i % 2 == 1) {
                c[i] = reference(sized);
            }
            System.err.printf("pair %d: %s%n        %s%n", i + 1, c[i].json(), java[i].json());
        }
        table.add(run.size(), c, java);
    }

    private BenchResult reference(BenchOptions sized) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return reference.measure(sized.with("mode", sized.text("mode").toLowerCase(Locale.ROOT)));
            } catch (OfiReference.HangException e) {
                hangs++;
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
