package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * A producer of a load, which sends numbered records to one partition or to all partitions in turn. It sends at a fixed
 * rate, or as fast as the broker accepts and the consumers read the records. It falls behind a fixed rate if the broker
 * or the consumers cannot keep up.
 *
 * <p><i>Thread-safety:</i> {@link #run} is called by one thread, and the latencies are available after the client has
 * been closed. Any thread may call the other methods. <i>Ownership:</i> owns its client.
 */
final class LoadProducer implements Runnable, ProducerCallback, AutoCloseable {
    /** Maximum number of bytes by which producers may be ahead of consumers. Also limits the disk space used. */
    private static final long MOST_BYTES_AHEAD = 64 << 20;

    private static final int LONGEST_INTERVAL = 64;
    /** Sampling interval: one record in every 16 has a timestamp, unless the rate is fixed. */
    private static final int SAMPLED = 16;

    /** Value that makes the producer send records to each partition in turn. */
    static final int ALL_PARTITIONS = -1;

    private static final long PAUSE_NS = 50_000;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final LongAdder acknowledged = new LongAdder();
    private final LogLoad load;
    private final int number;
    private final int onlyPartition;
    private final LongSupplier ahead;
    private final Consumer<Throwable> onFailure;
    private final long mostAhead;
    /** Number of records after which the producer checks the progress of the consumers. */
    private final long checkInterval;

    private final long mostSent;
    private final Histogram latencies = LoadResult.histogram();
    private LogProducer client;
    private ByteBuffer record;
    private long startNs;
    private volatile long sent;
    private volatile boolean isStopped;
    private volatile boolean hasEnded;
    private volatile boolean measures;
    /** The record whose time to acknowledgement is currently being measured; null if there is none. */
    private volatile Sample sample;

    /** A record whose acknowledgement is awaited. */
    private record Sample(int partition, long number, long sentNs) {}

    /**
     * Creates a producer. Call {@link #open} before running it.
     *
     * @param number number of the producer, starting at 0
     * @param onlyPartition the partition for all records, or {@link #ALL_PARTITIONS}
     * @param ahead returns the number of records that the consumers have not yet read
     */
    LoadProducer(LogLoad load, int number, int onlyPartition, LongSupplier ahead, Consumer<Throwable> onFailure) {
        this.load = load;
        this.number = number;
        this.onlyPartition = onlyPartition;
        this.ahead = ahead;
        this.onFailure = onFailure;
        this.mostAhead = Math.max(1, MOST_BYTES_AHEAD / (RecordBatchLayout.HEADER_LENGTH + load.size()));
        this.checkInterval = Math.max(1, Math.min(LONGEST_INTERVAL, mostAhead / load.producers()));
        this.mostSent = load.records() == 0 ? Long.MAX_VALUE : load.records();
    }

    /**
     * Connects to the broker.
     *
     * @throws CommandFailure if the broker does not accept records of this length
     */
    void open(RocketBufs rocketBufs, LogClientSettings settings) {
        client = LogProducer.open(rocketBufs, settings, load.topic(), this);
        int longest = client.longestRecord();
        if (load.size() > longest) {
            client.close();
            throw CommandFailure.usage("--size " + load.size() + ": must be at most " + longest
                    + "; to send longer records, raise rocketlog.batch.longest at the broker, and"
                    + " rocketlog.producer.ring-capacity here");
        }
        record = ByteBuffer.allocate(load.size());
    }

    @Override
    public void run() {
        try {
            startNs = System.nanoTime();
            while (!isStopped && sent < mostSent) {
                long dueNs = awaitTurn();
                send(dueNs);
            }
            client.flush();
            if (client.reconnectCount() > 0) {
                throw new CommandFailure(
                        ExitCode.UNAVAILABLE,
                        "a producer of topic " + load.topic() + " lost its connection to the broker and reconnected, so"
                                + " the measurement is not valid; repeat it");
            }
            hasEnded = true;
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    /**
     * Waits until the next record may be sent, and returns its timestamp. At a fixed rate, this is the time at which
     * the record is due, even if it is sent later.
     */
    private long awaitTurn() {
        while (sent % checkInterval == 0 && ahead.getAsLong() > mostAhead && !isStopped) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        if (load.rate() == 0) {
            return sent % SAMPLED == 0 ? System.nanoTime() : LoadRecordLayout.NO_STAMP;
        }
        long dueNs = startNs + timeNs(sent, load.rate());
        for (long nowNs = System.nanoTime(); nowNs < dueNs && !isStopped; nowNs = System.nanoTime()) {
            LockSupport.parkNanos(dueNs - nowNs);
        }
        return dueNs;
    }

    /** Returns the time, in nanoseconds, that it takes to send a number of records at a rate per second. */
    static long timeNs(long records, int rate) {
        return records / rate * SECOND_NS + records % rate * SECOND_NS / rate; // avoids an overflow
    }

    private void send(long stampNs) {
        int partitions = onlyPartition == ALL_PARTITIONS ? load.partitions() : 1;
        LoadRecordLayout.write(record, number, sent / partitions, stampNs);
        int partition = onlyPartition == ALL_PARTITIONS ? (int) (sent % partitions) : onlyPartition;
        long result = client.send(partition, null, record.clear());
        while (result == LogProducer.NO_SPACE && !isStopped) {
            client.awaitSpace();
            result = client.send(partition, null, record.clear());
        }
        if (result == LogProducer.CLOSED) {
            throw client.failure();
        }
        if (result >= 0) {
            sent++;
            if (measures && sample == null && stampNs != LoadRecordLayout.NO_STAMP) {
                sample = new Sample(partition, result, stampNs);
            }
        }
    }

    @Override
    public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
        acknowledged.add(count);
        Sample waiting = sample;
        if (waiting != null && waiting.partition == partition && waiting.number < firstNumber + count) {
            if (waiting.number >= firstNumber) { // otherwise, the record was acknowledged before it became the sample
                latencies.recordValue(Math.max(0, System.nanoTime() - waiting.sentNs));
            }
            sample = null;
        }
    }

    /** Starts or ends the measurement of latencies. */
    void measure(boolean on) {
        measures = on;
    }

    /** Returns the number of records that this producer has sent. */
    long sent() {
        return sent;
    }

    /** Returns the number of records that this producer has sent to a partition. */
    long sent(int partition) {
        if (onlyPartition != ALL_PARTITIONS) {
            return partition == onlyPartition ? sent : 0;
        }
        return load.share(sent, partition);
    }

    /** Returns the number of records that count as sent. */
    long acknowledged() {
        return acknowledged.sum();
    }

    /** Returns the numbers of this producer's batches. */
    LoadBatches batches(ProduceMode requested) {
        return new LoadBatches(requested, client.batchCount(), client.directBatchCount());
    }

    /** Returns the measured latencies (from sending to the acknowledgement), in nanoseconds. */
    Histogram latencies() {
        return latencies;
    }

    /** Stops sending. The run ends after all records have been acknowledged. */
    void stop() {
        isStopped = true;
    }

    /** Returns true if all records have been sent and acknowledged. */
    boolean hasEnded() {
        return hasEnded;
    }

    @Override
    public void close() {
        stop();
        client.close();
    }
}
