package io.rocketbufs.benchmarks.shm;

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

/** The findings about messages between two processes. */
final class ShmFindings implements Findings {
    @Override
    public void write(Results results, String subject, StringBuilder text) {
        Tables tables = new Tables(results, subject, text);
        tables.table(
                "Messages per second, one way",
                results.of(ShmExperiment.STREAM),
                Cell::toString,
                tables.compared(Measurement::perSecond, Tables::rate));
        Results trips = results.of(ShmExperiment.ROUND_TRIP);
        tables.table("Round trip, p50, us", trips, Cell::toString, tables.compared(Measurement::p50Us, Tables::us));
        tables.table("Round trip, p99, us", trips, Cell::toString, tables.compared(Measurement::p99Us, Tables::us));
        tables.table(
                "Processor time, % of one processor: sender + receiver",
                results,
                cell -> cell.experiment() + ", " + cell,
                (cell, name) -> Tables.percent(tables.median(cell, name, Measurement::publisherCores)) + " + "
                        + Tables.percent(tables.median(cell, name, Measurement::subscriberCores)));
    }

    @Override
    public List<Target> targets(Results results, String subject) {
        return ShmGoal.ALL.stream()
                .map(goal -> goal.target(results))
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public List<String> plots(Results results, Path folder) throws IOException {
        return new Plots(results, folder)
                .writeLatencies(results.of(ShmExperiment.ROUND_TRIP).cells());
    }
}
