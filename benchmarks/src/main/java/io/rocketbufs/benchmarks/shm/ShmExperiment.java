package io.rocketbufs.benchmarks.shm;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Experiment;
import java.util.List;
import java.util.Locale;

/** The experiments with messages between two processes. Each experiment has its own cells. */
enum ShmExperiment implements Experiment {
    /** Messages per second, one way. */
    STREAM(List.of(64, 1024)),
    /** Time until the answer to a message arrives, with one message in flight. */
    ROUND_TRIP(List.of(64));

    private final List<Integer> sizes;

    ShmExperiment(List<Integer> sizes) {
        this.sizes = sizes;
    }

    /** Returns the cells of this experiment. */
    List<Cell> cells() {
        return sizes.stream().map(this::cell).toList();
    }

    /** Returns the cell with the given message length in bytes. */
    Cell cell(int size) {
        return new Cell(this, size, 1, 1, 1, 0);
    }

    @Override
    public String describe(Cell cell) {
        return cell.sizeText();
    }

    /** Returns the experiment's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
