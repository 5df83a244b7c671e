package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A writer of the results as Markdown tables, with cells as rows and contenders as columns. */
final class Tables {
    private static final int PERCENT = 100;
    private static final double GIGA = 1e9;

    private final Results results;
    private final String subject;

    Tables(Results results, String subject) {
        this.results = results;
        this.subject = subject;
    }

    /** Appends the tables that have results. */
    void write(StringBuilder text) {
        for (int subscribers : results.of(Experiment.THROUGHPUT).values(Cell::subscribers)) {
            Results some = results.of(Experiment.THROUGHPUT).having(cell -> cell.subscribers() == subscribers);
            String title = subscribers == 0
                    ? "Messages per second published, subscribers: 0"
                    : "Messages per second to each subscriber, subscribers: " + subscribers;
            table(text, title, some, Cell::sizeText, compared(Measurement::perSecond, Tables::rate));
        }
        table(
                text,
                "Under full load: latency, p99; processors of broker + publishers + subscribers",
                results.of(Experiment.THROUGHPUT),
                Cell::toString,
                this::load);
        Results latency = results.of(Experiment.LATENCY);
        table(text, "Latency, p50, us", latency, Cell::toString, compared(Measurement::p50Us, Tables::us));
        table(text, "Latency, p99, us", latency, Cell::toString, compared(Measurement::p99Us, Tables::us));
        table(
                text,
                "Processor time of a subscriber, %",
                results.of(Experiment.SUBSCRIBER_CPU),
                Cell::toString,
                compared(Measurement::subscriberCores, Tables::percent));
        table(
                text,
                "Processor time of the broker, %",
                results.of(Experiment.BROKER_CPU),
                Cell::toString,
                compared(Measurement::brokerCores, Tables::percent));
        for (Experiment growth : List.of(Experiment.TOPICS, Experiment.PUBLISHERS, Experiment.SUBSCRIBERS)) {
            String title = "Growth, " + growth + ": messages per second to each; processor time per delivered byte";
            table(text, title, results.of(growth), Cell::toString, this::growth);
        }
    }

    private void table(
            StringBuilder text,
            String title,
            Results some,
            Function<Cell, String> row,
            BiFunction<Cell, String, String> value) {
        if (some.cells().isEmpty()) {
            return;
        }
        List<String> names = some.contenders();
        text.append("\n## ").append(title).append("\n\n| |").append(joined(names, name -> name));
        text.append("\n|---|").append("---|".repeat(names.size())).append('\n');
        for (Cell cell : some.cells()) {
            text.append("| ").append(row.apply(cell)).append(" |");
            text.append(joined(names, name -> value.apply(cell, name))).append('\n');
        }
    }

    private static String joined(List<String> names, Function<String, String> value) {
        return names.stream().map(name -> " " + value.apply(name) + " |").collect(Collectors.joining());
    }

    /** Returns a function that formats a quantity, followed by the ratio of the subject's value to it. */
    private BiFunction<Cell, String, String> compared(ToDoubleFunction<Measurement> of, DoubleFunction<String> format) {
        return (cell, name) -> {
            String own = format.apply(results.estimate(cell, name, of).median());
            if (name.equals(subject) || !results.contenders(cell).contains(subject)) {
                return own;
            }
            MedianEstimate ratio = results.ratio(cell, subject, name, of);
            return own + String.format(Locale.ROOT, " (%.2f; %.2f to %.2f)", ratio.median(), ratio.low(), ratio.high());
        };
    }

    private String load(Cell cell, String name) {
        double p99Us = median(cell, name, Measurement::p99Us);
        return (Double.isNaN(p99Us) ? "" : String.format(Locale.ROOT, "%,.0f us; ", p99Us))
                + percent(median(cell, name, Measurement::brokerCores)) + " + "
                + percent(median(cell, name, Measurement::publisherCores)) + " + "
                + percent(median(cell, name, Measurement::subscriberCores)) + " %";
    }

    private String growth(Cell cell, String name) {
        double perByteNs = median(
                cell,
                name,
                found -> GIGA
                        * (found.brokerCores() + found.publisherCores() + found.subscriberCores())
                        / (found.perSecond() * cell.subscribers() * cell.size()));
        return rate(median(cell, name, Measurement::perSecond)) + String.format(Locale.ROOT, "; %.3f ns", perByteNs);
    }

    private double median(Cell cell, String name, ToDoubleFunction<Measurement> of) {
        return results.estimate(cell, name, of).median();
    }

    private static String us(double value) {
        return String.format(Locale.ROOT, value < PERCENT ? "%.1f" : "%,.0f", value);
    }

    private static String percent(double cores) {
        double percent = PERCENT * cores;
        return String.format(Locale.ROOT, percent < 10 ? "%.1f" : "%.0f", percent);
    }

    /** Returns a rate with three significant digits. */
    static String rate(double perSecond) {
        if (perSecond >= 1e6) {
            return String.format(Locale.ROOT, perSecond >= 1e7 ? "%.1f M" : "%.2f M", perSecond / 1e6);
        }
        return String.format(Locale.ROOT, perSecond >= 1e5 ? "%.0f k" : "%.1f k", perSecond / 1e3);
    }
}
