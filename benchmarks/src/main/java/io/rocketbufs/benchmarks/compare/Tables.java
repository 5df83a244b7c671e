package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A writer of results as Markdown tables, with cells as rows and contenders as columns. */
public final class Tables {
    private static final int PERCENT = 100;

    private final Results results;
    private final String subject;
    private final StringBuilder text;

    /**
     * Creates a writer.
     *
     * @param subject name of the contender that is compared with all others
     * @param text receives the tables
     */
    public Tables(Results results, String subject, StringBuilder text) {
        this.results = results;
        this.subject = subject;
        this.text = text;
    }

    /**
     * Appends a table unless {@code some} contains no results.
     *
     * @param some the results to show in the table
     * @param row returns the text of a row's first column
     * @param value returns the text for a cell and a contender measured in that cell
     */
    public void table(String title, Results some, Function<Cell, String> row, BiFunction<Cell, String, String> value) {
        if (some.cells().isEmpty()) {
            return;
        }
        List<String> names = some.contenders();
        text.append("\n## ").append(title).append("\n\n| |").append(joined(names, name -> name));
        text.append("\n|---|").append("---|".repeat(names.size())).append('\n');
        for (Cell cell : some.cells()) {
            text.append("| ").append(row.apply(cell)).append(" |");
            text.append(joined(names, name -> entry(cell, name, value))).append('\n');
        }
    }

    private String entry(Cell cell, String name, BiFunction<Cell, String, String> value) {
        return results.contenders(cell).contains(name) ? value.apply(cell, name) : "";
    }

    private static String joined(List<String> names, Function<String, String> value) {
        return names.stream().map(name -> " " + value.apply(name) + " |").collect(Collectors.joining());
    }

    /** Returns a function that formats a contender's quantity, followed by the ratio of the subject's value to it. */
    public BiFunction<Cell, String, String> compared(ToDoubleFunction<Measurement> of, DoubleFunction<String> format) {
        return (cell, name) -> {
            String own = format.apply(results.estimate(cell, name, of).median());
            if (name.equals(subject) || !results.contenders(cell).contains(subject)) {
                return own;
            }
            MedianEstimate ratio = results.ratio(cell, subject, name, of);
            return own + String.format(Locale.ROOT, " (%.2f; %.2f to %.2f)", ratio.median(), ratio.low(), ratio.high());
        };
    }

    /** Returns the median of a quantity. */
    public double median(Cell cell, String name, ToDoubleFunction<Measurement> of) {
        return results.estimate(cell, name, of).median();
    }

    /** Returns the text of a time in microseconds. */
    public static String us(double value) {
        return String.format(Locale.ROOT, value < PERCENT ? "%.1f" : "%,.0f", value);
    }

    /** Returns the text of processor time as a percentage of one processor. */
    public static String percent(double cores) {
        double percent = PERCENT * cores;
        return String.format(Locale.ROOT, percent < 10 ? "%.1f" : "%.0f", percent);
    }

    /** Returns the text of a rate with three significant digits. */
    public static String rate(double perSecond) {
        if (perSecond >= 1e6) {
            return String.format(Locale.ROOT, perSecond >= 1e7 ? "%.1f M" : "%.2f M", perSecond / 1e6);
        }
        if (perSecond < 1e3) {
            return String.format(Locale.ROOT, "%.0f", perSecond);
        }
        return String.format(Locale.ROOT, perSecond >= 1e5 ? "%.0f k" : "%.1f k", perSecond / 1e3);
    }
}
