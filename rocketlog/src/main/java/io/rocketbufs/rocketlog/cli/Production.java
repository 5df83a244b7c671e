package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rocketlog.client.KeyPartition;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * One run of {@code produce}, which appends records and reports their outcome.
 *
 * <p><i>Thread-safety:</i> one thread appends records; another thread may finish the run.
 */
final class Production implements AutoCloseable {
    private static final long SIGNAL_TIMEOUT_MS = 5000;

    private final CompletableFuture<LogClientException> failed = new CompletableFuture<>();
    private final LongAdder acknowledged = new LongAdder();
    private final Streams streams;
    private final int partition;
    private final byte[] keySeparator;
    private LogProducer producer;
    /**
     * Counter that selects the partition for records without a key. It starts at a random value, so that short runs do
     * not all use the same partitions.
     */
    private int turn = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);

    private volatile long recordCount;
    private volatile boolean isFinishing;
    private volatile String problem;
    private boolean isFinished;
    private int exitCode;

    private Production(Streams streams, int partition, byte[] keySeparator) {
        this.streams = streams;
        this.partition = partition;
        this.keySeparator = keySeparator;
    }

    /**
     * Connects to the broker.
     *
     * @param partition partition to append to; -1 to choose a partition for each record
     * @param keySeparator text between key and value; null if records have no key
     */
    static Production open(
            RocketBufs rocketBufs,
            LogClientSettings settings,
            String topic,
            int partition,
            byte[] keySeparator,
            Streams streams) {
        Production production = new Production(streams, partition, keySeparator);
        production.producer = LogProducer.open(rocketBufs, settings, topic, production.callback());
        return production;
    }

    private ProducerCallback callback() {
        return new ProducerCallback() {
            @Override
            public void onAcknowledged(int partition, long firstNumber, int count, long firstOffset) {
                acknowledged.add(count);
            }

            @Override
            public void onFailed(LogClientException cause) {
                failed.complete(cause);
            }
        };
    }

    /** Returns a future that completes when no more records can be appended. */
    CompletableFuture<LogClientException> failed() {
        return failed;
    }

    /** Returns the maximum length of a line, in bytes. */
    int longestLine() {
        return producer.longestRecord() + (keySeparator == null ? 0 : keySeparator.length);
    }

    /** Appends a record, waiting for space if necessary. Returns false if no more records can be appended. */
    boolean append(byte[] bytes, int offset, int length) {
        int separator = keySeparator == null ? -1 : separator(bytes, offset, offset + length);
        if (keySeparator != null && separator < 0) {
            fail("record " + (recordCount + 1) + " does not contain the key separator");
            return false;
        }
        ByteBuffer key = separator < 0 ? null : ByteBuffer.wrap(bytes, offset, separator - offset);
        int valueOffset = separator < 0 ? offset : separator + keySeparator.length;
        ByteBuffer value = ByteBuffer.wrap(bytes, valueOffset, offset + length - valueOffset);
        try {
            return send(partitionOf(key), key, value);
        } catch (IllegalArgumentException e) { // the partition does not exist, or the record is too long
            fail("record " + (recordCount + 1) + ": " + e.getMessage());
            return false;
        }
    }

    private int separator(byte[] bytes, int from, int to) {
        for (int i = from; i + keySeparator.length <= to; i++) {
            if (Arrays.equals(bytes, i, i + keySeparator.length, keySeparator, 0, keySeparator.length)) {
                return i;
            }
        }
        return -1;
    }

    private int partitionOf(ByteBuffer key) {
        if (partition >= 0) {
            return partition;
        }
        int count = producer.partitions();
        if (key != null) {
            return KeyPartition.of(key, count);
        }
        turn = (turn + 1) % count;
        return turn;
    }

    private boolean send(int to, ByteBuffer key, ByteBuffer value) {
        long result = LogProducer.NO_SPACE;
        while (result == LogProducer.NO_SPACE && !isFinishing) {
            result = producer.send(to, key, value);
            if (result == LogProducer.NO_SPACE) {
                producer.awaitSpace();
            }
        }
        if (result < 0) {
            return false;
        }
        recordCount++;
        return !isFinishing;
    }

    /** Reports that a record cannot be appended. {@link #finish} still waits for earlier records. */
    void fail(String why) {
        problem = why;
    }

    /** Finishes the run because a signal terminates the process. */
    void finishAtSignal() {
        isFinishing = true;
        CompletableFuture<Void> flushed = CompletableFuture.runAsync(producer::flush);
        try {
            flushed.get(SIGNAL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // conclude() reports the number of missing records.
        }
        conclude();
    }

    /** Waits until the broker has acknowledged all records, or the producer has failed. Returns the exit code. */
    int finish() {
        isFinishing = true;
        try {
            producer.flush();
        } catch (LogClientException e) {
            failed.complete(e);
        }
        return conclude();
    }

    private synchronized int conclude() {
        if (!isFinished) {
            isFinished = true;
            exitCode = report();
        }
        return exitCode;
    }

    private int report() {
        long missing = recordCount - acknowledged.sum();
        LogClientException cause = failed.getNow(null);
        if (problem != null) {
            streams.say(problem);
        }
        if (cause != null) {
            streams.say(cause.getMessage());
        }
        if (missing > 0) {
            streams.say(missing + " of " + recordCount + (recordCount == 1 ? " record was" : " records were")
                    + " not acknowledged");
        }
        if (cause != null) {
            return LogClientOptions.exitCode(cause);
        }
        return problem == null && missing == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    @Override
    public void close() {
        producer.close();
    }
}
