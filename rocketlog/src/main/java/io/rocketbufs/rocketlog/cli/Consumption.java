package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.RecordCallback;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One run of {@code consume}, with its progress and the reason for its end.
 *
 * <p><i>Thread-safety:</i> one thread reads records; any thread may stop the run.
 */
final class Consumption implements RecordCallback {
    /** Maximum time for which a poll may delay the end of the run, in milliseconds. */
    private static final long LONGEST_POLL_MS = 100;

    private static final int LISTED_PARTITIONS = 16;

    private final Streams streams;
    private final RecordOutput output;
    private final long wanted;
    private LogConsumer consumer;
    private String topic;
    /** The offset after the last record to write, by partition; null if the run also waits for new records. */
    private long[] ends;

    private long count;
    private long lastNs;
    private boolean hasTimedOut;
    private Throwable problem;
    private volatile boolean isStopped;
    private volatile boolean isStoppedBySignal;
    private volatile boolean hasFailed;

    /** Creates a run that ends after the given number of records. */
    Consumption(Streams streams, RecordOutput output, long wanted) {
        this.streams = streams;
        this.output = output;
        this.wanted = wanted;
    }

    /**
     * Prepares the run.
     *
     * @param untilEnd true to end after the last record that was in the log when the consumer was opened
     */
    void begin(LogConsumer from, String topic, boolean untilEnd) {
        this.consumer = from;
        this.topic = topic;
        this.ends = untilEnd ? endsOf(from) : null;
    }

    private static long[] endsOf(LogConsumer consumer) {
        List<Integer> partitions = consumer.partitions();
        long[] ends = new long[partitions.get(partitions.size() - 1) + 1];
        partitions.forEach(partition -> ends[partition] = consumer.endOffset(partition));
        return ends;
    }

    /** Ends the run because the process has received a signal. */
    void stopBySignal() {
        isStoppedBySignal = true;
        isStopped = true;
    }

    /**
     * Ends the run because the output can no longer be written.
     *
     * @param hadReader true if the output failed because its reader closed it, which does not count as a failure of the
     *     run
     */
    void outputFailed(boolean hadReader) {
        hasFailed = !hadReader;
        isStopped = true;
    }

    /**
     * Writes records until the run ends.
     *
     * @param timeout how long to wait for a record before the run ends; null for no timeout
     */
    void run(Duration timeout) {
        lastNs = System.nanoTime();
        while (!isFinished()) {
            long leftMs = timeout == null
                    ? LONGEST_POLL_MS
                    : TimeUnit.NANOSECONDS.toMillis(timeout.toNanos() - (System.nanoTime() - lastNs));
            long before = count;
            try {
                consumer.poll(Math.max(0, Math.min(leftMs, LONGEST_POLL_MS)), this);
            } finally {
                flush();
            }
            reportConnection();
            lastNs = count > before ? System.nanoTime() : lastNs;
            hasTimedOut = timeout != null && System.nanoTime() - lastNs >= timeout.toNanos();
        }
    }

    private boolean isFinished() {
        return isStopped
                || hasTimedOut
                || count == wanted
                || ends != null && consumer.partitions().stream().allMatch(this::isAtEnd);
    }

    private boolean isAtEnd(int partition) {
        return consumer.nextOffset(partition) >= ends[partition];
    }

    @Override
    public boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value) {
        if (ends == null || offset < ends[partition]) {
            count++;
            if (!output.add(partition, offset, timestamp, key, value)) {
                outputFailed(Streams.outHasReader());
            }
        }
        return !isStopped && count < wanted;
    }

    @Override
    public void onGap(int partition, long firstOffset, long nextOffset) {
        long skipped = nextOffset - firstOffset;
        streams.say("skipped " + skipped + (skipped == 1 ? " offset" : " offsets") + " of " + topic + "-" + partition
                + ": from " + firstOffset + " to " + (nextOffset - 1)
                + "; their records were overwritten by newer ones, or lost in a restart of the broker");
    }

    private void flush() {
        if (!output.flush() && !isStopped) {
            outputFailed(Streams.outHasReader());
        }
    }

    /** Reports each loss of the connection and each reconnection once. */
    private void reportConnection() {
        Throwable current = consumer.connectionProblem();
        if (current != null && problem == null) {
            streams.say("lost the connection to the broker: " + current.getMessage() + "; reconnecting");
        } else if (current == null && problem != null) {
            streams.say("reconnected to the broker");
        }
        problem = current;
    }

    /** Reports missing records and returns the exit code. */
    int conclude() {
        if (isStoppedBySignal) {
            streams.say(
                    "consumed " + count + (count == 1 ? " record" : " records") + "; next offsets: " + nextOffsets());
        }
        if (hasFailed) {
            streams.say("standard output can no longer be written");
            return ExitCode.FAILED;
        }
        if (problem != null && hasTimedOut) {
            return ExitCode.UNAVAILABLE;
        }
        boolean isComplete = isStopped || count == wanted || wanted == Long.MAX_VALUE;
        if (!isComplete) {
            streams.say("only " + count + " of " + wanted + (wanted == 1 ? " record" : " records") + " arrived");
        }
        return isComplete ? ExitCode.DONE : ExitCode.FAILED;
    }

    private String nextOffsets() {
        int others = consumer.partitions().size() - LISTED_PARTITIONS;
        return consumer.partitions().stream()
                        .limit(LISTED_PARTITIONS)
                        .map(partition -> topic + "-" + partition + "=" + consumer.nextOffset(partition))
                        .collect(Collectors.joining(" "))
                + (others > 0 ? " and " + others + " more" : "");
    }
}
