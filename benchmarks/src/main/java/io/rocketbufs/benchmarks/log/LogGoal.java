package io.rocketbufs.benchmarks.log;

import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_FANOUT;
import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_LARGE;
import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_LATENCY;
import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_SMALL;
import static io.rocketbufs.benchmarks.log.LogExperiment.END_TO_END;
import static io.rocketbufs.benchmarks.log.LogExperiment.POLLS;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_BATCHED;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_FLUSHED;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_LATENCY;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_PROCESSOR;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_UNBATCHED;

import io.rocketbufs.benchmarks.MedianEstimate;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Results;
import io.rocketbufs.benchmarks.compare.Target;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A performance goal of rocketlog: the ratio between its value and another log's value.
 *
 * @param number number of the goal in the table of goals in benchmarks/README.md
 * @param cell cell in which the goal is measured
 * @param own rocketlog's transport, followed by its mode unless the mode is private
 * @param peer name of the other log
 * @param bound the minimum ratio of the rates, or the maximum ratio of the median latencies or processor times
 */
record LogGoal(String number, Cell cell, String own, String peer, double bound) {
    private static final String DISK = "disk";
    private static final String EXCLUSIVE = "tcp-exclusive";
    private static final String SHARED = "tcp-shared";
    private static final String MEMORY = "tcp-memory";

    /** Fraction of the ratio with one partition that must remain with more partitions. */
    private static final double PARTITIONS_PART = 0.8;

    /** All goals. */
    static final List<LogGoal> ALL = List.of(
            new LogGoal("P1", PRODUCE_LATENCY.cell(512, 1), "tcp", "kafka", 1 / 3.0),
            new LogGoal("P1", PRODUCE_LATENCY.cell(512, 1), "tcp", "raw", 1.25),
            new LogGoal("P2", PRODUCE_LATENCY.cell(128 << 10, 1), "tcp", "kafka", 1 / 2.0),
            new LogGoal("P3", PRODUCE_UNBATCHED.cell(512, 1), "tcp", "kafka", 4),
            new LogGoal("P3", PRODUCE_UNBATCHED.cell(512, 1), EXCLUSIVE, "kafka", 6),
            new LogGoal("P3", PRODUCE_UNBATCHED.cell(512, 1), EXCLUSIVE, "raw", 0.8),
            new LogGoal("P3", PRODUCE_UNBATCHED.cell(512, 1), SHARED, "kafka", 2.5),
            new LogGoal("P4", PRODUCE_UNBATCHED.cell(32 << 10, 1), "tcp", "kafka", 3.5),
            new LogGoal("P4", PRODUCE_UNBATCHED.cell(32 << 10, 1), EXCLUSIVE, "kafka", 5),
            new LogGoal("P5", LogExperiment.partitions(4), "tcp", "kafka", PARTITIONS_PART * 4),
            new LogGoal("P5", LogExperiment.partitions(4), EXCLUSIVE, "kafka", PARTITIONS_PART * 6),
            new LogGoal("P5", LogExperiment.partitions(16), "tcp", "kafka", PARTITIONS_PART * 4),
            new LogGoal("P5", LogExperiment.partitions(16), EXCLUSIVE, "kafka", PARTITIONS_PART * 6),
            new LogGoal("P5", LogExperiment.partitions(1000), "tcp", "kafka", PARTITIONS_PART * 4),
            new LogGoal("P6", PRODUCE_BATCHED.cell(64, 1), "tcp", "kafka", 6),
            new LogGoal("P6", PRODUCE_BATCHED.cell(64, 1), "tcp", "jetstream", 10),
            new LogGoal("P6", PRODUCE_BATCHED.cell(64, 1), "tcp", "redis", 4),
            new LogGoal("P7", PRODUCE_BATCHED.cell(1024, 1), "tcp", "kafka", 2),
            new LogGoal("P7", PRODUCE_BATCHED.cell(1024, 1), "tcp", DISK, 0.9),
            new LogGoal("P9", CONSUME_LATENCY.cell(512, 1), "tcp", "kafka", 1 / 3.0),
            new LogGoal("P9", CONSUME_LATENCY.cell(512, 1), "tcp", "raw", 1.25),
            new LogGoal("P9", CONSUME_LATENCY.cell(512, 1), "shm", "kafka", 1 / 40.0),
            new LogGoal("P8", PRODUCE_FLUSHED.cell(512, 1), "tcp", DISK, 1.2),
            new LogGoal("P8", PRODUCE_FLUSHED.cell(512, 64), "tcp", DISK, 0.9),
            new LogGoal("P10", POLLS.cell(512, 1), "tcp", "kafka", 5),
            new LogGoal("P10", POLLS.cell(512, 4), "tcp", "kafka", 5),
            new LogGoal("P10", POLLS.cell(512, 1), "shm", "kafka", 100),
            new LogGoal("P10", POLLS.cell(512, 4), "shm", "kafka", 100),
            new LogGoal("P11", CONSUME_SMALL.cell(1024, 1), "tcp", "kafka", 5),
            new LogGoal("P11", CONSUME_LARGE.cell(1024, 1), "tcp", "kafka", 1.2),
            new LogGoal("P14", CONSUME_FANOUT.cell(1024, 1), "tcp", "kafka", 0.6),
            new LogGoal("P14", CONSUME_FANOUT.cell(1024, 8), "tcp", "kafka", 0.6),
            new LogGoal("P14", CONSUME_FANOUT.cell(1024, 1), MEMORY, "kafka", 0.6),
            new LogGoal("P14", CONSUME_FANOUT.cell(1024, 8), MEMORY, "kafka", 0.6),
            new LogGoal("P12", END_TO_END.cell(512, 1), "tcp", "kafka", 1 / 3.0),
            new LogGoal("P23", PRODUCE_PROCESSOR.cell(4096, 1), "tcp", "kafka", 0.55),
            new LogGoal("P23", PRODUCE_PROCESSOR.cell(4096, 1), EXCLUSIVE, "kafka", 0.45));

    /** Returns whether the goal is meaningful only if the logs are on a disk. */
    boolean needsDisk() {
        return peer.equals(DISK);
    }

    /** Returns the goal with the measured value, or an empty result unless both logs were measured. */
    Optional<Target> target(Results results) {
        String name = RocketlogSystem.PREFIX + own;
        if (!results.contenders(cell).containsAll(List.of(name, peer))) {
            return Optional.empty();
        }
        Quantity quantity = quantity();
        MedianEstimate found = results.ratio(cell, name, peer, quantity.of);
        String what = number + ": " + quantity.text + ", " + own + " against " + peer;
        return Optional.of(new Target(cell, what, quantity == Quantity.RATE, bound, found));
    }

    private Quantity quantity() {
        if (cell.experiment() == PRODUCE_PROCESSOR || cell.experiment() == CONSUME_FANOUT) {
            return Quantity.PROCESSOR;
        }
        return LogExperiment.comparesRate(cell) ? Quantity.RATE : Quantity.LATENCY;
    }

    /** The compared quantity. */
    private enum Quantity {
        RATE("rate", Measurement::perSecond),
        LATENCY("latency, p50", Measurement::p50Us),
        PROCESSOR("processor time of the broker per record", LogFindings::brokerUs);

        private final String text;
        private final ToDoubleFunction<Measurement> of;

        Quantity(String text, ToDoubleFunction<Measurement> of) {
            this.text = text;
            this.of = of;
        }
    }
}
