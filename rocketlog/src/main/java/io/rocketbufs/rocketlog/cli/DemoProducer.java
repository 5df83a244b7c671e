package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A producer of the demo, which sends numbered records to all partitions in turn: as fast as the broker accepts and the
 * consumers read them, or at a fixed rate.
 *
 * <p><i>Thread-safety:</i> {@link #run} on one thread; everything else, any thread. <i>Ownership:</i> owns its client.
 */
final class DemoProducer implements Runnable, ProducerCallback, AutoCloseable {
    /** Maximum number of records that the log may be ahead of the consumers, which also limits the disk space. */
    private static final long MOST_AHEAD = (64 << 20) / DemoRecordLayout.LENGTH;

    private static final int CHECK_INTERVAL = 64;
    /** Sends records to all partitions in turn. */
    static final int ALL_PARTITIONS = -1;

    private static final long PAUSE_NS = 50_000;

    private final LongAdder acknowledged = new LongAdder();
    private final ByteBuffer record = ByteBuffer.allocate(DemoRecordLayout.LENGTH);
    private final int number;
    private final int onlyPartition;
    private final int rate;
    private final LongSupplier ahead;
    private final Consumer<Throwable> onFailure;
    private LogProducer client;
    private long startNs;
    private volatile long sent;
    private volatile boolean isStopped;
    private volatile boolean hasEnded;

    /**
     * Creates a producer, which must then be opened.
     *
     * @param number number of the producer, from 0
     * @param onlyPartition the partition for all records, or {@link #ALL_PARTITIONS}
     * @param rate records per second; 0 for no limit
     * @param ahead returns the number of records that the consumers have not yet read
     */
    DemoProducer(int number, int onlyPartition, int rate, LongSupplier ahead, Consumer<Throwable> onFailure) {
        this.number = number;
        this.onlyPartition = onlyPartition;
        this.rate = rate;
        this.ahead = ahead;
        this.onFailure = onFailure;
    }

    /** Connects to the broker. */
    void open(RocketBufs rocketBufs, LogClientSettings settings, String topic) {
        client = LogProducer.open(rocketBufs, settings, topic, this);
    }

    @Override
    public void run() {
        try {
            startNs = System.nanoTime();
            while (!isStopped) {
                long dueNs = awaitTurn();
                send(dueNs);
            }
            client.flush();
            hasEnded = true;
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    /** Returns the timestamp of the next record: the time when it is due, even if it is sent later. */
    private long awaitTurn() {
        if (rate == 0) {
            while (sent % CHECK_INTERVAL == 0 && ahead.getAsLong() > MOST_AHEAD && !isStopped) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            return 0;
        }
        long dueNs = startNs + sent * TimeUnit.SECONDS.toNanos(1) / rate;
        for (long nowNs = System.nanoTime(); nowNs < dueNs && !isStopped; nowNs = System.nanoTime()) {
            LockSupport.parkNanos(dueNs - nowNs);
        }
        return dueNs;
    }

    private void send(long stampNs) {
        int partitions = onlyPartition == ALL_PARTITIONS ? client.partitions() : 1;
        DemoRecordLayout.write(record, number, sent / partitions, stampNs);
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
        }
    }

    @Override
    public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
        acknowledged.add(count);
    }

    /** Returns the number of records that it has sent. */
    long sent() {
        return sent;
    }

    /** Returns the number of records that it has sent to a partition. */
    long sent(int partition, int partitions) {
        if (onlyPartition != ALL_PARTITIONS) {
            return partition == onlyPartition ? sent : 0;
        }
        return (sent + partitions - 1 - partition) / partitions;
    }

    /** Returns the number of records that count as sent. */
    long acknowledged() {
        return acknowledged.sum();
    }

    /** Ends the run once all records have been acknowledged. */
    void stop() {
        isStopped = true;
    }

    /** Returns true if all records have been sent and acknowledged after {@link #stop}. */
    boolean hasEnded() {
        return hasEnded;
    }

    @Override
    public void close() {
        stop();
        client.close();
    }
}
