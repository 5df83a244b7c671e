package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.RecordCallback;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * A consumer of a load, which checks every record. It measures the age of the arriving records or the duration of
 * polls.
 *
 * <p><i>Thread-safety:</i> {@link #run} is called by one thread, and the results are available after it has returned.
 * Any thread may call the other methods. <i>Ownership:</i> owns its client.
 */
final class LoadConsumer implements Runnable, RecordCallback, AutoCloseable {
    private static final long POLL_MS = 20;
    /** Time in nanoseconds after which a record that has not arrived counts as lost. */
    private static final long LONGEST_WAIT_NS = 10_000_000_000L;

    /** Sampling interval: one poll in every 16 is measured. */
    private static final int SAMPLED = 16;

    private final LogLoad load;
    private final int[] partitions;
    private final int producerCount;
    private final RocketBufs rocketBufs;
    private final LogClientSettings settings;
    private final Consumer<Throwable> onFailure;
    private final Histogram latencies = LoadResult.histogram();
    /** The order checks, by partition and then by producer; null where no record has arrived. */
    private final RecordOrder[] orders;

    private LogConsumer client;
    private LoadFaults faults = LoadFaults.NONE;
    private long corrupted;
    private volatile long count;
    private volatile long polls;
    private volatile boolean measures;
    private volatile boolean isStopped;

    /** The numbers of records that have been sent. */
    interface SentCounts {
        /** Returns the number of records that a producer has sent to a partition. */
        long of(int producer, int partition);
    }

    /**
     * Creates a consumer, and connects it to the broker.
     *
     * @param number number of the consumer, starting at 0
     */
    LoadConsumer(
            LogLoad load,
            int number,
            RocketBufs rocketBufs,
            LogClientSettings settings,
            Consumer<Throwable> onFailure) {
        this.load = load;
        this.partitions = load.partitionsOf(number);
        this.producerCount = Math.max(1, load.producers()); // one producer has filled the topic
        this.orders = new RecordOrder[load.partitions() * producerCount];
        this.rocketBufs = rocketBufs;
        this.settings = settings;
        this.onFailure = onFailure;
        open();
    }

    private void open() {
        Arrays.fill(orders, null);
        ConsumerOptions options = ConsumerOptions.DEFAULTS;
        for (int partition : partitions) {
            options = options.withPartition(partition, ConsumerStart.EARLIEST);
        }
        client = LogConsumer.open(rocketBufs, settings, load.topic(), options);
    }

    @Override
    public void run() {
        try {
            switch (load.kind()) {
                case POLL -> pollWithoutWaiting();
                case CONSUME -> readAgainAndAgain();
                default -> read();
            }
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    private void pollWithoutWaiting() {
        while (!isStopped) {
            timedPoll(0);
        }
    }

    private void read() {
        while (!isStopped) {
            poll(POLL_MS);
        }
    }

    private void readAgainAndAgain() {
        while (readOnce()) {
            faults = faults.plus(orderFaults((producer, partition) -> load.recordsOf(partition)));
            client.close();
            open();
        }
    }

    /** Reads all records once, or until no further records arrive. Returns false if the run was stopped. */
    private boolean readOnce() {
        long end = count + load.records();
        long lastNs = System.nanoTime();
        while (count < end && System.nanoTime() - lastNs < LONGEST_WAIT_NS) {
            if (isStopped) {
                return false;
            }
            if (timedPoll(POLL_MS) > 0) {
                lastNs = System.nanoTime();
            }
        }
        return !isStopped;
    }

    private int timedPoll(long timeoutMs) {
        boolean isSample = measures && polls % SAMPLED == 0;
        long startNs = isSample ? System.nanoTime() : 0;
        int found = poll(timeoutMs);
        if (isSample && (found > 0 || load.kind() == LogLoad.Kind.POLL)) {
            latencies.recordValue(System.nanoTime() - startNs);
        }
        return found;
    }

    /**
     * Polls once. Fails if the connection was lost, because a disconnected consumer does not read the broker's memory.
     */
    private int poll(long timeoutMs) {
        int found = client.poll(timeoutMs, this);
        polls++;
        RuntimeException problem = client.connectionProblem();
        if (problem != null || client.reconnectCount() > 0) {
            throw new CommandFailure(
                    ExitCode.UNAVAILABLE,
                    "a consumer of topic " + load.topic() + " lost its connection to the broker"
                            + (problem == null
                                    ? " and reconnected, so the measurement is not valid; repeat it"
                                    : ": " + problem.getMessage()));
        }
        return found;
    }

    @Override
    public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
        if (LoadRecordLayout.isIntact(value, load.size()) && LoadRecordLayout.producer(value) < producerCount) {
            int place = partition * producerCount + LoadRecordLayout.producer(value);
            if (orders[place] == null) {
                orders[place] = new RecordOrder();
            }
            orders[place].accept(LoadRecordLayout.number(value));
            long stampNs = LoadRecordLayout.stampNs(value);
            if (measures && load.kind().produces() && stampNs != LoadRecordLayout.NO_STAMP) {
                latencies.recordValue(Math.max(0, System.nanoTime() - stampNs));
            }
        } else {
            corrupted++;
        }
        count++;
        return !isStopped;
    }

    /** Starts or ends the measurement of latencies. */
    void measure(boolean on) {
        measures = on;
    }

    /** Returns the number of records that have arrived so far. */
    long count() {
        return count;
    }

    /** Returns the number of polls so far. */
    long polls() {
        return polls;
    }

    /** Ends the run as soon as possible. */
    void stop() {
        isStopped = true;
    }

    /** Returns the faults among all records, given the numbers of records that the producers have sent. */
    LoadFaults faults(SentCounts sent) {
        return faults.plus(orderFaults(sent)).plus(new LoadFaults(0, 0, 0, corrupted));
    }

    private LoadFaults orderFaults(SentCounts sent) {
        LoadFaults sum = LoadFaults.NONE;
        for (int partition : partitions) {
            for (int producer = 0; producer < producerCount; producer++) {
                RecordOrder order = orders[partition * producerCount + producer];
                long sentCount = sent.of(producer, partition);
                sum = sum.plus(order == null ? new LoadFaults(sentCount, 0, 0, 0) : order.faults(sentCount));
            }
        }
        return sum;
    }

    /** Returns the measured latencies, in nanoseconds. */
    Histogram latencies() {
        return latencies;
    }

    @Override
    public void close() {
        client.close();
    }
}
