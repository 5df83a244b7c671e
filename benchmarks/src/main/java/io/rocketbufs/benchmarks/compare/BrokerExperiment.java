package io.rocketbufs.benchmarks.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/** The experiments with brokers that discard messages after delivery. Each experiment has its own cells. */
enum BrokerExperiment implements Experiment {
    /** Throughput by message length and number of subscribers, as in the paper's Figure 5. */
    THROUGHPUT,
    /** Latency of messages at a fixed rate after a long warm-up, as in Figure 7. */
    LATENCY,
    /** Processor time of a subscriber at a fixed rate, by message length, as in Figure 6. */
    SUBSCRIBER_CPU,
    /** Processor time of the broker at a fixed rate, as in Table 1. */
    BROKER_CPU,
    /** Throughput by number of topics. */
    TOPICS,
    /** Throughput by number of publishers. */
    PUBLISHERS,
    /** Throughput by number of subscribers. */
    SUBSCRIBERS;

    /** Length of the messages in Figure 7, in bytes. */
    private static final int LATENCY_SIZE = 34;

    private static final List<Integer> LATENCY_RATES = List.of(10_000, 50_000, 100_000);
    private static final List<Integer> CPU_RATES = List.of(20_000, 50_000);
    /** Highest load for comparing processor time, in bytes per second. Not every contender sustains a higher load. */
    private static final long CPU_BYTES_PER_SECOND = 200_000_000;

    private static final int BROKER_SIZE = 8192;
    private static final int BROKER_SUBSCRIBERS = 4;
    private static final int BROKER_RATE = 10_000;
    private static final List<Integer> GROWTH_SIZES = List.of(64, 2048);
    private static final List<Integer> TOPIC_COUNTS = List.of(1, 10, 100, 1000, 10_000);
    private static final List<Integer> CLIENT_COUNTS = List.of(1, 2, 4, 8, 16, 32, 64);

    /** Returns the experiment's name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String describe(Cell cell) {
        return cell.sizeText()
                + count(cell.subscribers(), "subscriber")
                + (cell.publishers() > 1 ? count(cell.publishers(), "publisher") : "")
                + (cell.topics() > 1 ? count(cell.topics(), "topic") : "")
                + (cell.rate() > 0 ? String.format(Locale.ROOT, ", %,d/s", cell.rate()) : "");
    }

    private static String count(int count, String what) {
        return ", " + count + " " + what + (count == 1 ? "" : "s");
    }

    /** Returns whether this experiment shows how one system scales, instead of comparing several systems. */
    boolean isGrowth() {
        return this == TOPICS || this == PUBLISHERS || this == SUBSCRIBERS;
    }

    /**
     * Returns the cells of this experiment.
     *
     * @param sizes lengths of messages in bytes, for experiments that depend on the length
     * @param subscribers numbers of subscribers for {@link #THROUGHPUT}
     */
    List<Cell> cells(List<Integer> sizes, List<Integer> subscribers) {
        return switch (this) {
            case THROUGHPUT ->
                subscribers.stream()
                        .flatMap(count -> sizes.stream().map(size -> Cell.throughput(size, count)))
                        .toList();
            case LATENCY ->
                LATENCY_RATES.stream()
                        .map(rate -> new Cell(this, LATENCY_SIZE, 1, 1, 1, rate))
                        .toList();
            case SUBSCRIBER_CPU ->
                CPU_RATES.stream()
                        .flatMap(rate -> sizes.stream()
                                .filter(size -> (long) size * rate <= CPU_BYTES_PER_SECOND)
                                .map(size -> new Cell(this, size, 1, 1, 1, rate)))
                        .toList();
            case BROKER_CPU -> List.of(new Cell(this, BROKER_SIZE, 1, BROKER_SUBSCRIBERS, 1, BROKER_RATE));
            case TOPICS -> growth(TOPIC_COUNTS, (size, count) -> new Cell(this, size, 1, 1, count, 0));
            case PUBLISHERS -> growth(CLIENT_COUNTS, (size, count) -> new Cell(this, size, count, 1, 1, 0));
            case SUBSCRIBERS -> growth(CLIENT_COUNTS, (size, count) -> new Cell(this, size, 1, count, 1, 0));
        };
    }

    private static List<Cell> growth(List<Integer> counts, BiFunction<Integer, Integer, Cell> cell) {
        return GROWTH_SIZES.stream()
                .flatMap(size -> counts.stream().map(count -> cell.apply(size, count)))
                .toList();
    }
}
