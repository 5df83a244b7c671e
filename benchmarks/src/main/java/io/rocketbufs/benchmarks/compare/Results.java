package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The valid runs, with queries by cell and contender. */
public final class Results {
    private final List<Run> runs;

    /** Creates results that contain the given runs. */
    public Results(List<Run> runs) {
        this.runs = List.copyOf(runs);
    }

    List<Run> runs() {
        return runs;
    }

    /** Returns the cells in the order in which they were measured. */
    public List<Cell> cells() {
        return runs.stream().map(Run::cell).distinct().toList();
    }

    /** Returns the results of one experiment. */
    public Results of(Experiment experiment) {
        return having(cell -> cell.experiment() == experiment);
    }

    /** Returns the results of the matching cells. */
    public Results having(Predicate<Cell> cell) {
        return new Results(runs.stream().filter(run -> cell.test(run.cell())).toList());
    }

    /** Returns the distinct values of a property of the cells, in ascending order. */
    List<Integer> values(Function<Cell, Integer> property) {
        return cells().stream().map(property).distinct().sorted().toList();
    }

    public List<String> contenders() {
        return runs.stream().map(Run::contender).distinct().toList();
    }

    /** Returns the contenders that were measured in a cell. */
    public List<String> contenders(Cell cell) {
        return having(cell::equals).contenders();
    }

    /** Returns the estimate of a quantity for a contender in a cell. */
    public MedianEstimate estimate(Cell cell, String contender, ToDoubleFunction<Measurement> of) {
        return MedianEstimate.of(values(cell, contender, of));
    }

    /** Returns the estimated ratio between two contenders' values of a quantity, based on neighbouring measurements. */
    public MedianEstimate ratio(Cell cell, String contender, String reference, ToDoubleFunction<Measurement> of) {
        return MedianEstimate.ofRatios(values(cell, contender, of), values(cell, reference, of));
    }

    private double[] values(Cell cell, String contender, ToDoubleFunction<Measurement> of) {
        return runs.stream()
                .filter(run -> run.cell().equals(cell) && run.contender().equals(contender))
                .sorted(Comparator.comparingInt(Run::repetition))
                .mapToDouble(run -> of.applyAsDouble(run.measurement()))
                .toArray();
    }

    /** Returns the load of a contender in a cell. */
    Load load(Cell cell, String contender) {
        return runs.stream()
                .filter(run -> run.cell().equals(cell) && run.contender().equals(contender))
                .findFirst()
                .orElseThrow()
                .load();
    }

    /** Returns the number of faults of a contender in all cells. */
    long faults(String contender) {
        return runs.stream()
                .filter(run -> run.contender().equals(contender))
                .mapToLong(run -> run.measurement().faults())
                .sum();
    }
}
