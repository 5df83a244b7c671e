package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.RecordCallback;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A consumer of the demo, which checks every record of a partition and measures its age on arrival.
 *
 * <p><i>Thread-safety:</i> {@link #run}, one thread; the results, after {@link #run} has returned; everything else, any
 * thread. <i>Ownership:</i> owns its client.
 */
final class DemoConsumer implements Runnable, RecordCallback, AutoCloseable {
    private static final long POLL_MS = 20;

    private final LogConsumer client;
    private final Consumer<Throwable> onFailure;
    private final RecordOrder[] orders;
    private final long[] latenciesNs;
    private int latencyCount;
    private long corrupted;
    private volatile long count;
    private volatile boolean measures;
    private volatile boolean isStopped;

    /**
     * Creates a consumer.
     *
     * @param producerCount number of producers
     * @param mostLatencies maximum number of records to measure
     */
    DemoConsumer(LogConsumer client, int producerCount, int mostLatencies, Consumer<Throwable> onFailure) {
        this.client = client;
        this.onFailure = onFailure;
        this.latenciesNs = new long[mostLatencies];
        this.orders = new RecordOrder[producerCount];
        Arrays.setAll(orders, i -> new RecordOrder());
    }

    @Override
    public void run() {
        try {
            while (!isStopped) {
                client.poll(POLL_MS, this);
            }
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    @Override
    public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
        if (DemoRecordLayout.isIntact(value) && DemoRecordLayout.producer(value) < orders.length) {
            orders[DemoRecordLayout.producer(value)].accept(DemoRecordLayout.number(value));
            if (measures && latencyCount < latenciesNs.length) {
                latenciesNs[latencyCount] = System.nanoTime() - DemoRecordLayout.stampNs(value);
                latencyCount++;
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

    /** Returns the number of records that have arrived. */
    long count() {
        return count;
    }

    /** Ends the run. */
    void stop() {
        isStopped = true;
    }

    /** Returns the faults among the records that a producer has sent to the partition. */
    DemoFaults faults(int producer, long sent) {
        return orders[producer].faults(sent);
    }

    /** Returns the number of corrupted records. */
    long corrupted() {
        return corrupted;
    }

    /** Returns the measured latencies. */
    long[] latenciesNs() {
        return Arrays.copyOf(latenciesNs, latencyCount);
    }

    @Override
    public void close() {
        client.close();
    }
}
