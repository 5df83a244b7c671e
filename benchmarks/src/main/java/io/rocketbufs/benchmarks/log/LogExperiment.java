package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Experiment;
import io.rocketbufs.benchmarks.log.load.Workload;
import java.util.List;
import java.util.Locale;

/** The experiments with logs. Each experiment has its own cells. */
enum LogExperiment implements Experiment {
    /** Time until a record is acknowledged, with one record in flight. */
    PRODUCE_LATENCY(Workload.PRODUCE_ONE_BY_ONE, List.of(512, 128 << 10), List.of(1)),
    /** Records per second in batches of one record. */
    PRODUCE_UNBATCHED(Workload.PRODUCE, List.of(512, 64, 4096, 32 << 10), List.of(1)),
    /** Processor time of the broker per record, with records in batches at a fixed rate. */
    PRODUCE_PROCESSOR(Workload.PRODUCE, List.of(4096), List.of(1)),
    /** Records per second in batches. */
    PRODUCE_BATCHED(Workload.PRODUCE, List.of(64, 1024), List.of(1)),
    /** Time to fetch one record that is already in the log. */
    CONSUME_LATENCY(Workload.CONSUME, List.of(512, 64, 4096, 32 << 10), List.of(1)),
    /** Polls per second that find no records, by number of consumers. */
    POLLS(Workload.POLL, List.of(512), List.of(1, 4)),
    /** Records per second with one record per fetch. */
    CONSUME_SMALL(Workload.CONSUME, List.of(1024), List.of(1)),
    /** Processor time of the broker per record with one record per fetch, by number of consumers. */
    CONSUME_FANOUT(Workload.CONSUME, List.of(1024), List.of(1, 2, 4, 8)),
    /** Records per second in fetches of up to 1 MiB. */
    CONSUME_LARGE(Workload.CONSUME, List.of(1024), List.of(1)),
    /** Time until a record has been consumed, with one record in flight. */
    END_TO_END(Workload.END_TO_END, List.of(512), List.of(1)),
    /** Records per second in batches of one record, by number of partitions. */
    PRODUCE_PARTITIONS(Workload.PRODUCE, List.of(512), List.of(1)),
    /** Time until a record has been forced to the disk and acknowledged, by number of producers. */
    PRODUCE_FLUSHED(Workload.PRODUCE_ONE_BY_ONE, List.of(512), List.of(1, 64));

    private static final int FETCH = 1 << 20;
    /**
     * Additional length of a fetch in bytes. A fetch longer than one record by this length contains the record's batch,
     * but not the next batch.
     */
    private static final int OVERHEAD = 100;

    private static final List<Integer> PARTITIONS = List.of(4, 16, 1000);
    private static final int RATE = 20_000;
    private static final int FEW = 10_000;
    private static final int MANY = 256 << 10;
    private static final int RECORD_BATCH = 256 << 10;

    private final Workload workload;
    private final List<Integer> sizes;
    private final List<Integer> clients;

    LogExperiment(Workload workload, List<Integer> sizes, List<Integer> clients) {
        this.workload = workload;
        this.sizes = sizes;
        this.clients = clients;
    }

    Workload workload() {
        return workload;
    }

    /** Returns whether records are forced to the disk before they are acknowledged. */
    boolean flushes() {
        return this == PRODUCE_FLUSHED;
    }

    /** Returns whether the time of each record is measured. */
    boolean measuresLatency() {
        return this == PRODUCE_LATENCY || this == PRODUCE_FLUSHED || this == CONSUME_LATENCY || this == END_TO_END;
    }

    /** Returns whether the clients only consume. */
    boolean consumes() {
        return workload == Workload.CONSUME || workload == Workload.POLL;
    }

    /** Returns whether the clients only produce. */
    boolean produces() {
        return workload == Workload.PRODUCE || workload == Workload.PRODUCE_ONE_BY_ONE;
    }

    /** Returns the number of bytes that a consumer reads with one fetch. */
    int fetch(int size) {
        return isOneByOne() ? size + OVERHEAD : FETCH;
    }

    /** Returns the number of records that the consumers read. */
    int records() {
        return isOneByOne() ? FEW : MANY;
    }

    /** Returns the length in bytes of the batches that the consumers read, or 0 if each batch contains one record. */
    int recordBatch() {
        return isOneByOne() ? 0 : RECORD_BATCH;
    }

    private boolean isOneByOne() {
        return this == CONSUME_LATENCY || this == CONSUME_SMALL || this == CONSUME_FANOUT;
    }

    /** Returns whether the cell's producers send batches of several records. */
    static boolean isBatched(Cell cell) {
        return cell.experiment() == PRODUCE_BATCHED || cell.experiment() == PRODUCE_PROCESSOR;
    }

    /** Returns the cells of this experiment. */
    List<Cell> cells() {
        if (this == PRODUCE_PARTITIONS) {
            return PARTITIONS.stream().map(LogExperiment::partitions).toList();
        }
        return sizes.stream()
                .flatMap(size -> clients.stream().map(count -> cell(size, count)))
                .toList();
    }

    /**
     * Returns the cells of the given experiments, in their order. If {@code quick} is true, returns only the first cell
     * of each experiment.
     */
    static List<Cell> cells(List<LogExperiment> experiments, boolean quick) {
        return experiments.stream()
                .flatMap(each -> each.cells().stream().limit(quick ? 1 : Long.MAX_VALUE))
                .toList();
    }

    /** Returns the cell with the given record length in bytes and number of clients. */
    Cell cell(int size, int count) {
        int consumers = consumes() ? count : this == END_TO_END ? 1 : 0;
        return new Cell(this, size, consumes() ? 0 : count, consumers, 1, this == PRODUCE_PROCESSOR ? RATE : 0);
    }

    /** Returns the cell of {@link #PRODUCE_PARTITIONS} with the given number of partitions. */
    static Cell partitions(int count) {
        return new Cell(PRODUCE_PARTITIONS, PRODUCE_PARTITIONS.sizes.get(0), 1, 0, count, 0);
    }

    /**
     * Returns whether the rate of a cell is compared. This is the case if the cell has several clients or if times are
     * not measured.
     */
    static boolean comparesRate(Cell cell) {
        return clients(cell) > 1 || !((LogExperiment) cell.experiment()).measuresLatency();
    }

    /** Returns the number of clients in a cell. */
    static int clients(Cell cell) {
        return Math.max(cell.publishers(), cell.subscribers());
    }

    @Override
    public String describe(Cell cell) {
        int count = clients(cell);
        return cell.sizeText()
                + (count == 1 ? "" : ", " + count + " clients")
                + (cell.topics() == 1 ? "" : String.format(Locale.ROOT, ", %,d partitions", cell.topics()))
                + (cell.rate() == 0 ? "" : String.format(Locale.ROOT, ", %,d per second", cell.rate()));
    }

    /** Returns the experiment's name on the command line and in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
