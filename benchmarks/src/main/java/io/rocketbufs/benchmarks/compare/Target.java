package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.MedianEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * A performance target and the measured value.
 *
 * @param cell the cell
 * @param what description of the compared quantity and the reference
 * @param atLeast true for a lower bound, false for an upper bound
 * @param bound the bound on the median
 * @param found the measured median, with its interval
 */
public record Target(Cell cell, String what, boolean atLeast, double bound, MedianEstimate found) {
    private static final int SHORT = 512;
    private static final double MILLI = 1e3;
    private static final double LAG_MS = 10;
    private static final double NATS_RATIO = 1.5;
    private static final double RABBITMQ_RATIO = 20;
    /** Minimum ratio to Redis by message length, for 1, 2 and 4 subscribers. */
    private static final Map<Integer, Map<Integer, Double>> REDIS_RATIOS = Map.of(
            16, Map.of(1, 8.0, 2, 10.0, 4, 12.0),
            64, Map.of(1, 8.0, 2, 8.0, 4, 9.0),
            512, Map.of(1, 4.5, 2, 3.5, 4, 3.5),
            2048, Map.of(1, 3.0, 2, 2.5, 4, 2.0),
            8192, Map.of(1, 1.6, 2, 1.3, 4, 1.25),
            32_768, Map.of(1, 1.3, 2, 1.5, 4, 1.8));
    /** Maximum ratio of the median latency to the median latency of the bare relay, by rate. */
    private static final Map<Integer, Double> LATENCY_RATIOS = Map.of(10_000, 1.1, 50_000, 1.2, 100_000, 1.2);
    /** A subscriber's maximum processor time per message under full load, in microseconds, by message length. */
    private static final Map<Integer, Double> SUBSCRIBER_US = Map.of(64, 0.10, 2048, 0.45, 32_768, 5.5);

    private static final double SUBSCRIBER_RATIO = 1.1;
    private static final double BROKER_RAW_RATIO = 1.15;
    private static final double BROKER_REDIS_RATIO = 0.68;
    private static final Set<Integer> SHM_SUBSCRIBERS = Set.of(1, 4);
    /** Minimum ratio of RBMQ's throughput through shared memory to its throughput over TCP, by message length. */
    private static final Map<Integer, Double> SHM_RATIOS = Map.of(64, 1.2, 2048, 2.0, 32_768, 2.0);

    private static final double SHM_BYTE_RATIO = 0.6;

    /** Returns whether the median meets the bound. */
    public boolean isMet() {
        return atLeast ? found.median() >= bound : found.median() <= bound;
    }

    /** Returns all targets covered by these results. */
    static List<Target> of(Results results, String subject) {
        List<Target> targets = new ArrayList<>();
        for (Cell cell : results.cells()) {
            Judge judge = new Judge(results, subject, "", cell, targets);
            switch ((BrokerExperiment) cell.experiment()) {
                case THROUGHPUT -> throughput(judge, cell);
                case LATENCY -> latency(judge, cell);
                case SUBSCRIBER_CPU ->
                    judge.ratio(
                            "processor time of the subscriber", "raw", Measurement::subscriberCores, SUBSCRIBER_RATIO);
                case BROKER_CPU -> {
                    judge.ratio("processor time of the broker", "raw", Measurement::brokerCores, BROKER_RAW_RATIO);
                    judge.ratio("processor time of the broker", "redis", Measurement::brokerCores, BROKER_REDIS_RATIO);
                }
                default -> {
                    // The other experiments produce curves, which have no numeric targets.
                }
            }
        }
        return targets;
    }

    private static void throughput(Judge judge, Cell cell) {
        judge.rate("nats", NATS_RATIO);
        judge.rate("rabbitmq", cell.size() <= SHORT ? RABBITMQ_RATIO : null);
        if (cell.subscribers() == 0) {
            return;
        }
        sharedMemory(judge, cell);
        judge.rate("raw", cell.size() < SHORT ? 1 : 0.9);
        judge.rate("redis", REDIS_RATIOS.getOrDefault(cell.size(), Map.of()).get(cell.subscribers()));
        judge.most("latency, p99, ms", found -> found.p99Us() / MILLI, LAG_MS);
        if (cell.subscribers() == 1) {
            judge.most(
                    "processor time of the subscriber, us per message",
                    found -> found.subscriberUs(cell.subscribers()),
                    SUBSCRIBER_US.get(cell.size()));
        }
    }

    private static void sharedMemory(Judge judge, Cell cell) {
        Double bound = SHM_RATIOS.get(cell.size());
        String tcp = Variant.RBMQ.toString();
        Judge shm = judge.with(Variant.RBMQ_SHM.toString());
        if (bound != null && SHM_SUBSCRIBERS.contains(cell.subscribers()) && shm.has(shm.subject())) {
            shm.rate(tcp, bound);
            shm.ratio("processor time per byte", tcp, found -> found.byteNs(cell), SHM_BYTE_RATIO);
        }
    }

    private static void latency(Judge judge, Cell cell) {
        judge.ratio("latency, p50", "raw", Measurement::p50Us, LATENCY_RATIOS.get(cell.rate()));
        judge.ratio("latency, p50", "redis", Measurement::p50Us, 1.0);
        judge.ratio("latency, p99", "redis", Measurement::p99Us, 1.0);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s, %s: %s: %s %s, found %s (%s to %s)",
                cell.experiment(),
                cell,
                what,
                atLeast ? "at least" : "at most",
                number(bound),
                number(found.median()),
                number(found.low()),
                number(found.high()));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }

    /**
     * A collector of one cell's targets. It adds a target only if there is a bound and the necessary measurements
     * exist.
     */
    private record Judge(Results results, String subject, String prefix, Cell cell, List<Target> targets) {
        /** Returns a collector for the targets of another contender, whose name their descriptions contain. */
        Judge with(String other) {
            return new Judge(results, other, other + ": ", cell, targets);
        }

        void rate(String peer, Double bound) {
            if (bound != null && has(peer)) {
                MedianEstimate found = results.ratio(cell, subject, peer, Measurement::perSecond);
                targets.add(new Target(cell, prefix + "messages per second against " + peer, true, bound, found));
            }
        }

        void ratio(String what, String peer, ToDoubleFunction<Measurement> of, Double bound) {
            if (bound != null && has(peer)) {
                MedianEstimate found = results.ratio(cell, subject, peer, of);
                targets.add(new Target(cell, prefix + what + " against " + peer, false, bound, found));
            }
        }

        void most(String what, ToDoubleFunction<Measurement> of, Double bound) {
            if (bound != null && has(subject)) {
                MedianEstimate found = results.estimate(cell, subject, of);
                if (!Double.isNaN(found.median())) {
                    targets.add(new Target(cell, prefix + what, false, bound, found));
                }
            }
        }

        private boolean has(String contender) {
            return results.contenders(cell).contains(contender);
        }
    }
}
