package io.rocketbufs.benchmarks.compare;

import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.benchmarks.MedianEstimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A writer of result files: every measurement as CSV, medians and ratios as JSON, and a human-readable report in
 * Markdown.
 */
final class Report {
    private final Results results;
    private final Map<String, Object> facts;
    private final String subject;
    private final Findings findings;

    /**
     * Creates the report.
     *
     * @param facts further information, such as the machine, versions and settings
     * @param subject name of the contender that is compared with all others
     * @param findings the tables, targets and plots
     */
    Report(Results results, Map<String, Object> facts, String subject, Findings findings) {
        this.results = results;
        this.facts = facts;
        this.subject = subject;
        this.findings = findings;
    }

    /** Writes runs.csv, results.json, report.md and the plots. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("runs.csv"), csv());
        Files.writeString(folder.resolve("results.json"), json() + "\n");
        Files.writeString(folder.resolve("report.md"), markdown(findings.plots(results, folder)));
    }

    private String csv() {
        StringBuilder text = new StringBuilder(
                "experiment,size,cell_publishers,subscribers,topics,rate,repetition,contender,publishers,window,"
                        + "per_second,broker_cores,publisher_cores,subscriber_cores,faults,foreign_cores");
        Latency.PERCENTS.forEach(
                percent -> text.append(",p").append(Latency.text(percent)).append("_us"));
        text.append('\n');
        results.runs().forEach(run -> text.append(line(run)).append('\n'));
        return text.toString();
    }

    private static String line(Run run) {
        Cell cell = run.cell();
        Measurement found = run.measurement();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%s,%d,%d,%d,%d,%d,%d,%s,%d,%d,%.1f,%.3f,%.3f,%.3f,%d,%.3f",
                cell.experiment(),
                cell.size(),
                cell.publishers(),
                cell.subscribers(),
                cell.topics(),
                cell.rate(),
                run.repetition(),
                run.contender(),
                run.load().publishers(),
                run.load().window(),
                found.perSecond(),
                found.brokerCores(),
                found.publisherCores(),
                found.subscriberCores(),
                found.faults(),
                run.foreignCores()));
        for (double percent : Latency.PERCENTS) {
            double us = found.latency().at(percent);
            line.append(',').append(Double.isNaN(us) ? "" : String.format(Locale.ROOT, "%.1f", us));
        }
        return line.toString();
    }

    /** Returns the results as one line of JSON. */
    String json() {
        Map<String, Object> map = new LinkedHashMap<>(facts);
        map.put("cells", results.cells().stream().map(this::cellMap).toList());
        map.put(
                "targets_missed",
                findings.targets(results, subject).stream()
                        .filter(target -> !target.isMet())
                        .map(Target::toString)
                        .toList());
        return ConfigValueFactory.fromMap(map).render(ConfigRenderOptions.concise());
    }

    private Map<String, Object> cellMap(Cell cell) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", cell.experiment().toString());
        map.put("size", cell.size());
        map.put("subscribers", cell.subscribers());
        map.put("topics", cell.topics());
        map.put("rate", cell.rate());
        map.put(
                "contenders",
                results.contenders(cell).stream()
                        .map(name -> contenderMap(cell, name))
                        .toList());
        return map;
    }

    private Map<String, Object> contenderMap(Cell cell, String name) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("load", results.load(cell, name).toString());
        map.put("per_second", estimateMap(results.estimate(cell, name, Measurement::perSecond)));
        map.put("broker_cores", estimateMap(results.estimate(cell, name, Measurement::brokerCores)));
        map.put("publisher_cores", estimateMap(results.estimate(cell, name, Measurement::publisherCores)));
        map.put("subscriber_cores", estimateMap(results.estimate(cell, name, Measurement::subscriberCores)));
        if (!Double.isNaN(results.estimate(cell, name, Measurement::p50Us).median())) {
            map.put("p50_us", estimateMap(results.estimate(cell, name, Measurement::p50Us)));
            map.put("p99_us", estimateMap(results.estimate(cell, name, Measurement::p99Us)));
        }
        if (!name.equals(subject) && results.contenders(cell).contains(subject)) {
            map.put(subject + "_ratio", estimateMap(results.ratio(cell, subject, name, Measurement::perSecond)));
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
        text.append("\nThe values are medians. A number in parentheses is the ratio of ")
                .append(subject)
                .append("'s value to the value in that column: the median of the ratios of neighbouring"
                        + " measurements, with its 95 % interval.\n");
        findings.write(results, subject, text);
        targets(text);
        List<String> faulty = results.contenders().stream()
                .filter(name -> results.faults(name) > 0)
                .map(name -> name + " " + results.faults(name))
                .toList();
        text.append("\nLost, duplicated, reordered or damaged messages: ")
                .append(faulty.isEmpty() ? "none" : String.join(", ", faulty))
                .append(".\n");
        plots.forEach(plot -> text.append("\n![](").append(plot).append(")\n"));
        return text.toString();
    }

    private void targets(StringBuilder text) {
        List<Target> targets = findings.targets(results, subject);
        List<Target> missed = targets.stream().filter(target -> !target.isMet()).toList();
        text.append(String.format(
                Locale.ROOT, "%n## Targets%n%nMet: %d of %d.%n", targets.size() - missed.size(), targets.size()));
        if (!missed.isEmpty()) {
            text.append(" Missed:\n\n");
            missed.forEach(target -> text.append("- ").append(target).append('\n'));
        }
    }
}
