package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** All runs that count, by cell and contender. */
final class Results {
    private final List<Run> runs;

    Results(List<Run> runs) {
        this.runs = List.copyOf(runs);
    }

    List<Run> runs() {
        return runs;
    }

    /** The cells, in the order in which they were measured. */
    List<Cell> cells() {
        return runs.stream().map(Run::cell).distinct().toList();
    }

    /** Numbers of subscribers, from few to many. */
    List<Integer> subscriberCounts() {
        return cells().stream().map(Cell::subscribers).distinct().sorted().toList();
    }

    /** Sizes measured with so many subscribers, from small to large. */
    List<Cell> cells(int subscribers) {
        return cells().stream()
                .filter(cell -> cell.subscribers() == subscribers)
                .sorted(Comparator.comparingInt(Cell::size))
                .toList();
    }

    List<String> contenders() {
        return runs.stream().map(Run::contender).distinct().toList();
    }

    /** Something of a contender's measurements in a cell. */
    MedianEstimate estimate(Cell cell, String contender, ToDoubleFunction<Measurement> of) {
        return MedianEstimate.of(values(cell, contender, of));
    }

    /** Rate of one contender divided by that of another, of neighbouring measurements. */
    MedianEstimate ratio(Cell cell, String contender, String reference) {
        return MedianEstimate.ofRatios(
                values(cell, contender, Measurement::perSecond), values(cell, reference, Measurement::perSecond));
    }

    private double[] values(Cell cell, String contender, ToDoubleFunction<Measurement> of) {
        return runs.stream()
                .filter(run -> run.cell().equals(cell) && run.contender().equals(contender))
                .sorted(Comparator.comparingInt(Run::repetition))
                .mapToDouble(run -> of.applyAsDouble(run.measurement()))
                .toArray();
    }

    /** How a contender was loaded in a cell. */
    Load load(Cell cell, String contender) {
        return runs.stream()
                .filter(run -> run.cell().equals(cell) && run.contender().equals(contender))
                .findFirst()
                .orElseThrow()
                .load();
    }

    /** Faults of a contender in all cells. */
    long faults(String contender) {
        return runs.stream()
                .filter(run -> run.contender().equals(contender))
                .mapToLong(run -> run.measurement().faults())
                .sum();
    }
}
