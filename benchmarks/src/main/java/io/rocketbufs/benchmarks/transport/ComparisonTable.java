package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.Arrays;
import java.util.Locale;

/** The results of one mode as a table in Markdown, a line for each size. */
final class ComparisonTable {
    private final BenchMode mode;
    private final StringBuilder text = new StringBuilder();

    ComparisonTable(BenchMode mode) {
        this.mode = mode;
        text.append(
                mode == BenchMode.RATE
                        ? "| size | C, messages/s | Java, messages/s | Java, MB/s | Java / C | 95 % interval |"
                                + " CPU per message: C | Java | Java / C | 95 % interval |\n"
                                + "|---|---|---|---|---|---|---|---|---|---|\n"
                        : "| size | C, p50 | Java, p50 | Java / C | 95 % interval | p99: C | Java | Java / C |"
                                + " 95 % interval |\n|---|---|---|---|---|---|---|---|---|\n");
    }

    BenchMode mode() {
        return mode;
    }

    /** Adds the pairs of a size: results at the same place are neighbours. */
    void add(int size, BenchResult[] c, BenchResult[] java) {
        text.append("| ").append(sizeText(size)).append(" |");
        if (mode == BenchMode.RATE) {
            double rate = median(java, "messagesPerSecond");
            addCells("%.0f", median(c, "messagesPerSecond"), rate);
            addCells("%.1f", rate * size / 1e6);
            addRatio(c, java, "messagesPerSecond");
            addTimes(c, java, "cpuNs");
        } else {
            addTimes(c, java, "p50Ns");
            addTimes(c, java, "p99Ns");
        }
        text.append('\n');
    }

    private void addTimes(BenchResult[] c, BenchResult[] java, String name) {
        addCells("%.1f us", median(c, name) / 1e3, median(java, name) / 1e3);
        addRatio(c, java, name);
    }

    private void addRatio(BenchResult[] c, BenchResult[] java, String name) {
        MedianEstimate ratio = MedianEstimate.ofRatios(numbers(java, name), numbers(c, name));
        text.append(String.format(Locale.ROOT, " %.3f | %.3f to %.3f |", ratio.median(), ratio.low(), ratio.high()));
    }

    private void addCells(String format, double... values) {
        for (double value : values) {
            text.append(' ').append(String.format(Locale.ROOT, format, value)).append(" |");
        }
    }

    private static double median(BenchResult[] results, String name) {
        return MedianEstimate.median(numbers(results, name));
    }

    private static double[] numbers(BenchResult[] results, String name) {
        return Arrays.stream(results).mapToDouble(result -> result.number(name)).toArray();
    }

    private static String sizeText(int size) {
        if (size >= 1 << 20 && size % (1 << 20) == 0) {
            return (size >> 20) + " MiB";
        }
        return size >= 1024 && size % 1024 == 0 ? (size >> 10) + " KiB" : size + " B";
    }

    String text() {
        return text.toString();
    }
}
