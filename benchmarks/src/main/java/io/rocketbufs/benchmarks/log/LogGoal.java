package io.rocketbufs.benchmarks.log;

import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_LARGE;
import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_LATENCY;
import static io.rocketbufs.benchmarks.log.LogExperiment.CONSUME_SMALL;
import static io.rocketbufs.benchmarks.log.LogExperiment.END_TO_END;
import static io.rocketbufs.benchmarks.log.LogExperiment.POLLS;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_BATCHED;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_FLUSHED;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_LATENCY;
import static io.rocketbufs.benchmarks.log.LogExperiment.PRODUCE_UNBATCHED;

import io.rocketbufs.benchmarks.MedianEstimate;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Results;
import io.rocketbufs.benchmarks.compare.Target;
import java.util.List;
import java.util.Optional;

/**
 * A goal of rocketlog: the ratio between its value and that of another log.
 *
 * @param number its number in the table of goals in benchmarks/README.md
 * @param cell where it is measured
 * @param transport the transport of rocketlog
 * @param peer the other log
 * @param bound the lowest ratio of the rates, or the highest one of the median latencies
 */
record LogGoal(String number, Cell cell, String transport, String peer, double bound) {
    private static final String DISK = "disk";

    /** All goals for producers with private buffers. */
    static final List<LogGoal> ALL = List.of(
            new LogGoal("P1", PRODUCE_LATENCY.cell(512, 1), "tcp", "kafka", 1 / 3.0),
            new LogGoal("P1", PRODUCE_LATENCY.cell(512, 1), "tcp", "raw", 1.25),
            new LogGoal("P2", PRODUCE_LATENCY.cell(128 << 10, 1), "tcp", "kafka", 1 / 2.0),
            new LogGoal("P3", PRODUCE_UNBATCHED.cell(512, 1), "tcp", "kafka", 4),
            new LogGoal("P4", PRODUCE_UNBATCHED.cell(32 << 10, 1), "tcp", "kafka", 3.5),
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
            new LogGoal("P12", END_TO_END.cell(512, 1), "tcp", "kafka", 1 / 3.0));

    /** Returns true if the goal has a meaning only where the logs are on a disk. */
    boolean needsDisk() {
        return peer.equals(DISK);
    }

    /** Returns the goal with the measured value, if both logs were measured. */
    Optional<Target> target(Results results) {
        String own = RocketlogSystem.name(transport);
        if (!results.contenders(cell).containsAll(List.of(own, peer))) {
            return Optional.empty();
        }
        boolean isLatency = !LogExperiment.comparesRate(cell);
        MedianEstimate found = results.ratio(cell, own, peer, isLatency ? Measurement::p50Us : Measurement::perSecond);
        String what = number + ": " + (isLatency ? "latency, p50, " : "rate, ") + transport + " against " + peer;
        return Optional.of(new Target(cell, what, !isLatency, bound, found));
    }
}
