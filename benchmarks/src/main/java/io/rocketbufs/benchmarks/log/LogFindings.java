package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Findings;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Plots;
import io.rocketbufs.benchmarks.compare.Results;
import io.rocketbufs.benchmarks.compare.Tables;
import io.rocketbufs.benchmarks.compare.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The findings about logs. */
final class LogFindings implements Findings {
    private static final double SECOND_US = 1e6;

    private final boolean areOnDisk;

    /**
     * Creates the findings.
     *
     * @param areOnDisk whether the logs are on a disk; if not, goals that compare with the disk are omitted
     */
    LogFindings(boolean areOnDisk) {
        this.areOnDisk = areOnDisk;
    }

    @Override
    public void write(Results results, String subject, StringBuilder text) {
        Tables tables = new Tables(results, subject, text);
        Results latencies = latencies(results);
        tables.table("Latency, p50, us", latencies, LogFindings::row, tables.compared(Measurement::p50Us, Tables::us));
        tables.table("Latency, p99, us", latencies, LogFindings::row, tables.compared(Measurement::p99Us, Tables::us));
        tables.table(
                "Records per second, or polls per second",
                results.having(LogExperiment::comparesRate),
                LogFindings::row,
                tables.compared(Measurement::perSecond, Tables::rate));
        tables.table(
                "Processor time of the broker for a record, us",
                results.having(cell -> cell.experiment() == LogExperiment.PRODUCE_PROCESSOR
                        || cell.experiment() == LogExperiment.CONSUME_FANOUT),
                LogFindings::row,
                tables.compared(LogFindings::brokerUs, Tables::us));
        tables.table(
                "Processor time, % of one processor: broker + clients",
                results,
                LogFindings::row,
                (cell, name) -> Tables.percent(tables.median(cell, name, Measurement::brokerCores)) + " + "
                        + Tables.percent(
                                tables.median(cell, name, found -> found.publisherCores() + found.subscriberCores())));
    }

    /** Returns the broker's processor time per record in microseconds. */
    static double brokerUs(Measurement found) {
        return found.brokerCores() / found.perSecond() * SECOND_US;
    }

    private static String row(Cell cell) {
        return cell.experiment() + ", " + cell;
    }

    private static Results latencies(Results results) {
        return results.having(LogFindings::measuresLatency);
    }

    private static boolean measuresLatency(Cell cell) {
        return ((LogExperiment) cell.experiment()).measuresLatency();
    }

    @Override
    public List<Target> targets(Results results, String subject) {
        return LogGoal.ALL.stream()
                .filter(goal -> areOnDisk || !goal.needsDisk())
                .map(goal -> goal.target(results))
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public List<String> plots(Results results, Path folder) throws IOException {
        return new Plots(results, folder).writeLatencies(latencies(results).cells());
    }
}
