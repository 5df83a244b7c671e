package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The findings about brokers that discard messages after delivery. */
final class BrokerFindings implements Findings {
    @Override
    public void write(Results results, String subject, StringBuilder text) {
        Tables tables = new Tables(results, subject, text);
        for (int subscribers : results.of(BrokerExperiment.THROUGHPUT).values(Cell::subscribers)) {
            Results some = results.of(BrokerExperiment.THROUGHPUT).having(cell -> cell.subscribers() == subscribers);
            String title = subscribers == 0
                    ? "Messages per second published, subscribers: 0"
                    : "Messages per second to each subscriber, subscribers: " + subscribers;
            tables.table(title, some, Cell::sizeText, tables.compared(Measurement::perSecond, Tables::rate));
        }
        tables.table(
                "Under full load: latency, p99; processors of broker + publishers + subscribers",
                results.of(BrokerExperiment.THROUGHPUT),
                Cell::toString,
                (cell, name) -> load(tables, cell, name));
        tables.table(
                "Under full load: processor time of all processes per delivered byte, ns",
                results.of(BrokerExperiment.THROUGHPUT).having(cell -> cell.subscribers() > 0),
                Cell::toString,
                (cell, name) -> tables.compared(found -> found.byteNs(cell), BrokerFindings::ns)
                        .apply(cell, name));
        Results latency = results.of(BrokerExperiment.LATENCY);
        tables.table("Latency, p50, us", latency, Cell::toString, tables.compared(Measurement::p50Us, Tables::us));
        tables.table("Latency, p99, us", latency, Cell::toString, tables.compared(Measurement::p99Us, Tables::us));
        tables.table(
                "Processor time of a subscriber, %",
                results.of(BrokerExperiment.SUBSCRIBER_CPU),
                Cell::toString,
                tables.compared(Measurement::subscriberCores, Tables::percent));
        tables.table(
                "Processor time of the broker, %",
                results.of(BrokerExperiment.BROKER_CPU),
                Cell::toString,
                tables.compared(Measurement::brokerCores, Tables::percent));
        for (Experiment growth :
                List.of(BrokerExperiment.TOPICS, BrokerExperiment.PUBLISHERS, BrokerExperiment.SUBSCRIBERS)) {
            String title = "Growth, " + growth + ": messages per second to each; processor time per delivered byte";
            tables.table(title, results.of(growth), Cell::toString, (cell, name) -> growth(tables, cell, name));
        }
    }

    private static String load(Tables tables, Cell cell, String name) {
        double p99Us = tables.median(cell, name, Measurement::p99Us);
        return (Double.isNaN(p99Us) ? "" : String.format(Locale.ROOT, "%,.0f us; ", p99Us))
                + Tables.percent(tables.median(cell, name, Measurement::brokerCores)) + " + "
                + Tables.percent(tables.median(cell, name, Measurement::publisherCores)) + " + "
                + Tables.percent(tables.median(cell, name, Measurement::subscriberCores)) + " %";
    }

    private static String growth(Tables tables, Cell cell, String name) {
        return Tables.rate(tables.median(cell, name, Measurement::perSecond)) + "; "
                + ns(tables.median(cell, name, found -> found.byteNs(cell))) + " ns";
    }

    private static String ns(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    @Override
    public List<Target> targets(Results results, String subject) {
        return Target.of(results, subject);
    }

    @Override
    public List<String> plots(Results results, Path folder) throws IOException {
        return new Plots(results, folder).write();
    }
}
