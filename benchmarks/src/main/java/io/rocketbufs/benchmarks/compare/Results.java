package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
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

    /** Those of one experiment. */
    Results of(Experiment experiment) {
        return having(cell -> cell.experiment() == experiment);
    }

    /** Those of some cells. */
    Results having(Predicate<Cell> cell) {
        return new Results(runs.stream().filter(run -> cell.test(run.cell())).toList());
    }

    /** Different values of one of the cells' properties, from small to large. */
    List<Integer> values(Function<Cell, Integer> property) {
        return cells().stream().map(property).distinct().sorted().toList();
    }

    List<String> contenders() {
        return runs.stream().map(Run::contender).distinct().toList();
    }

    /** Returns the contenders that were measured in a cell. */
    List<String> contenders(Cell cell) {
        return having(cell::equals).contenders();
    }

    /** Something of a contender's measurements in a cell. */
    MedianEstimate estimate(Cell cell, String contender, ToDoubleFunction<Measurement> of) {
        return MedianEstimate.of(values(cell, contender, of));
    }

    /** Something of one contender divided by the same of another, of neighbouring measurements. */
    MedianEstimate ratio(Cell cell, String contender, String reference, ToDoubleFunction<Measurement> of) {
        return MedianEstimate.ofRatios(values(cell, contender, of), values(cell, reference, of));
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
