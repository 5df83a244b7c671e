package io.rocketbufs.benchmarks.shm;

import io.rocketbufs.benchmarks.MedianEstimate;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Results;
import io.rocketbufs.benchmarks.compare.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * A performance goal of the shared-memory transport: the ratio between its value and another contender's value. Of
 * several contenders, the best one counts.
 *
 * @param cell cell in which the goal is measured
 * @param own the transport, with the settings to compare
 * @param peers the contenders with which the transport is compared
 * @param bound the minimum ratio of the rates, or the maximum ratio of the median times
 */
record ShmGoal(Cell cell, List<ShmPeer> own, List<ShmPeer> peers, double bound) {
    private static final List<ShmPeer> BOTH = List.of(ShmPeer.SHM, ShmPeer.SHM_SPIN);

    /** All goals. */
    static final List<ShmGoal> ALL = List.of(
            stream(64, List.of(ShmPeer.SHM), List.of(ShmPeer.AERON)),
            stream(64, BOTH, ShmPeer.ALL_OF_AERON),
            stream(1024, List.of(ShmPeer.SHM), List.of(ShmPeer.AERON)),
            stream(1024, BOTH, ShmPeer.ALL_OF_AERON),
            new ShmGoal(
                    ShmExperiment.ROUND_TRIP.cell(64),
                    List.of(ShmPeer.SHM_SPIN),
                    List.of(ShmPeer.AERON_YIELD, ShmPeer.AERON_SPIN, ShmPeer.AERON_DEDICATED),
                    1.2),
            new ShmGoal(ShmExperiment.ROUND_TRIP.cell(64), List.of(ShmPeer.SHM), List.of(ShmPeer.PIPE), 1.3));

    private static ShmGoal stream(int size, List<ShmPeer> own, List<ShmPeer> peers) {
        return new ShmGoal(ShmExperiment.STREAM.cell(size), own, peers, 1);
    }

    /** Returns the goal with the measured value, or an empty result unless contenders of both sides were measured. */
    Optional<Target> target(Results results) {
        return best(own, results)
                .flatMap(mine -> best(peers, results).map(other -> {
                    MedianEstimate found = results.ratio(cell, mine, other, quantity());
                    String what = (comparesRate() ? "rate" : "round trip, p50") + ", " + mine + " against " + other;
                    return new Target(cell, what, comparesRate(), bound, found);
                }));
    }

    private Optional<String> best(List<ShmPeer> some, Results results) {
        Comparator<String> byMedian = Comparator.comparingDouble(
                name -> results.estimate(cell, name, quantity()).median());
        return some.stream()
                .map(ShmPeer::toString)
                .filter(results.contenders(cell)::contains)
                .max(comparesRate() ? byMedian : byMedian.reversed());
    }

    private boolean comparesRate() {
        return cell.experiment() == ShmExperiment.STREAM;
    }

    private ToDoubleFunction<Measurement> quantity() {
        return comparesRate() ? Measurement::perSecond : Measurement::p50Us;
    }
}
