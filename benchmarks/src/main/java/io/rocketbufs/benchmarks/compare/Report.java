package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.benchmarks.MedianEstimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The results as files: every measurement as CSV, medians and ratios as JSON, and all that for people. */
final class Report {
    private static final int PERCENT = 100;

    private final Results results;
    private final Map<String, Object> facts;
    private final String subject;

    /**
     * Prepares it.
     *
     * @param facts what else has to be known: machine, versions, settings
     * @param subject the contender that is compared with all others
     */
    Report(Results results, Map<String, Object> facts, String subject) {
        this.results = results;
        this.facts = facts;
        this.subject = subject;
    }

    /** Writes runs.csv, results.json and report.md. */
    void write(Path folder, List<String> plots) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("runs.csv"), csv());
        Files.writeString(folder.resolve("results.json"), json() + "\n");
        Files.writeString(folder.resolve("report.md"), markdown(plots));
    }

    private String csv() {
        StringBuilder text = new StringBuilder(
                "size,subscribers,repetition,contender,publishers,window,per_second,broker_cores,publisher_cores,"
                        + "subscriber_cores,p50_us,p99_us,faults,foreign_cores\n");
        for (Run run : results.runs()) {
            Measurement found = run.measurement();
            text.append(String.format(
                    Locale.ROOT,
                    "%d,%d,%d,%s,%d,%d,%.1f,%.3f,%.3f,%.3f,%s,%s,%d,%.3f%n",
                    run.cell().size(),
                    run.cell().subscribers(),
                    run.repetition(),
                    run.contender(),
                    run.load().publishers(),
                    run.load().window(),
                    found.perSecond(),
                    found.brokerCores(),
                    found.publisherCores(),
                    found.subscriberCores(),
                    number(found.p50Us()),
                    number(found.p99Us()),
                    found.faults(),
                    run.foreignCores()));
        }
        return text.toString();
    }

    /** Empty where there is none. */
    private static String number(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.1f", value);
    }

    /** One line. */
    String json() {
        Map<String, Object> map = new LinkedHashMap<>(facts);
        map.put("cells", results.cells().stream().map(this::cellMap).toList());
        return ConfigValueFactory.fromMap(map).render(ConfigRenderOptions.concise());
    }

    private Map<String, Object> cellMap(Cell cell) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("size", cell.size());
        map.put("subscribers", cell.subscribers());
        map.put(
                "contenders",
                results.contenders().stream()
                        .map(name -> contenderMap(cell, name))
                        .toList());
        return map;
    }

    private Map<String, Object> contenderMap(Cell cell, String name) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("load", results.load(cell, name).toString());
        map.put("per_second", estimateMap(results.estimate(cell, name, Measurement::perSecond)));
        map.put(
                "broker_cores",
                results.estimate(cell, name, Measurement::brokerCores).median());
        map.put(
                "publisher_cores",
                results.estimate(cell, name, Measurement::publisherCores).median());
        map.put(
                "subscriber_cores",
                results.estimate(cell, name, Measurement::subscriberCores).median());
        if (cell.subscribers() > 0) {
            map.put("p99_us", results.estimate(cell, name, Measurement::p99Us).median());
        }
        if (!name.equals(subject)) {
            map.put(subject + "_ratio", estimateMap(results.ratio(cell, subject, name)));
        }
        return map;
    }

    private static Map<String, Object> estimateMap(MedianEstimate estimate) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("median", estimate.median());
        map.put("low", estimate.low());
        map.put("high", estimate.high());
        map.put("count", estimate.count());
        return map;
    }

    private String markdown(List<String> plots) {
        StringBuilder text = new StringBuilder("# Comparison\n\n");
        facts.forEach((name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
        text.append("\nMessages per second, each delivered to every subscriber: medians, and in brackets how "
                + subject
                + " compares (median of the ratios of neighbouring measurements, with its 95 % interval).\n");
        for (int subscribers : results.subscriberCounts()) {
            text.append("\n## ").append(subscribers).append(subscribers == 1 ? " subscriber\n\n" : " subscribers\n\n");
            table(text, results.cells(subscribers));
        }
        text.append("\n## Time on the way, p99, and processors: broker + publishers + subscribers\n\n");
        processorTable(text);
        List<String> faulty = results.contenders().stream()
                .filter(name -> results.faults(name) > 0)
                .map(name -> name + " " + results.faults(name))
                .toList();
        text.append("\nLost, doubled, out of order or damaged: ")
                .append(faulty.isEmpty() ? "none" : String.join(", ", faulty))
                .append(".\n");
        plots.forEach(plot -> text.append("\n![](").append(plot).append(")\n"));
        return text.toString();
    }

    private void table(StringBuilder text, List<Cell> cells) {
        List<String> names = new ArrayList<>(results.contenders());
        text.append("| size |")
                .append(cellsOf(names))
                .append("\n|---|")
                .append("---|".repeat(names.size()))
                .append('\n');
        for (Cell cell : cells) {
            text.append("| ").append(cell.sizeText()).append(" |");
            for (String name : names) {
                text.append(' ')
                        .append(rate(results.estimate(cell, name, Measurement::perSecond)
                                .median()));
                if (!name.equals(subject)) {
                    MedianEstimate ratio = results.ratio(cell, subject, name);
                    text.append(String.format(
                            Locale.ROOT, " (%.2f; %.2f to %.2f)", ratio.median(), ratio.low(), ratio.high()));
                }
                text.append(" |");
            }
            text.append('\n');
        }
    }

    private void processorTable(StringBuilder text) {
        List<String> names = results.contenders();
        text.append("| cell |")
                .append(cellsOf(names))
                .append("\n|---|")
                .append("---|".repeat(names.size()))
                .append('\n');
        for (Cell cell : results.cells()) {
            text.append("| ").append(cell).append(" |");
            for (String name : names) {
                double p99Us = results.estimate(cell, name, Measurement::p99Us).median();
                text.append(String.format(
                        Locale.ROOT,
                        " %s%.0f + %.0f + %.0f %% |",
                        Double.isNaN(p99Us) ? "" : String.format(Locale.ROOT, "%,.0f us; ", p99Us),
                        PERCENT
                                * results.estimate(cell, name, Measurement::brokerCores)
                                        .median(),
                        PERCENT
                                * results.estimate(cell, name, Measurement::publisherCores)
                                        .median(),
                        PERCENT
                                * results.estimate(cell, name, Measurement::subscriberCores)
                                        .median()));
            }
            text.append('\n');
        }
    }

    private static String cellsOf(List<String> names) {
        return names.stream().map(name -> " " + name + " |").collect(Collectors.joining());
    }

    /** Three digits that count. */
    static String rate(double perSecond) {
        if (perSecond >= 1e6) {
            return String.format(Locale.ROOT, perSecond >= 1e7 ? "%.1f M" : "%.2f M", perSecond / 1e6);
        }
        return String.format(Locale.ROOT, perSecond >= 1e5 ? "%.0f k" : "%.1f k", perSecond / 1e3);
    }
}
