package io.rocketbufs.rbmq.bench;

import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * One subscriber of a benchmark. It checks the header of every message and the entire payload of one message in 1,024,
 * and measures the latency of messages with a timestamp.
 *
 * <p><b>Thread-safety:</b> messages are handled on one worker. A single thread calls {@link #begin} and {@link #end}.
 * Results can be read after the last message.
 */
public final class BenchSubscriber implements MessageHandler {
    /** Maximum recorded latency. Longer latencies are recorded as this value. */
    private static final long MAX_LATENCY_NS = 60_000_000_000L;

    private static final int LATENCY_DIGITS = 3;

    private final Counter received = new Counter();
    private final Window window = new Window(received);
    private final Payload.Cache payloads = new Payload.Cache();
    private Origin[] origins = new Origin[4];
    private volatile Measurement measurement = new Measurement();
    private volatile boolean ended;
    private long endNs;
    private long corrupted;

    /**
     * The latencies of the messages that were due at or after {@code beginNs}. The first instance exists from the
     * start, so that the warm-up also covers the code that times messages.
     */
    private record Measurement(long beginNs, Histogram latencies) {
        private Measurement() {
            this(System.nanoTime(), new Histogram(MAX_LATENCY_NS, LATENCY_DIGITS));
        }
    }

    /** The state of one publisher's sequence. */
    private record Origin(SequenceCheck sequences, Payload payload) {}

    @Override
    public void onMessage(Message message) {
        int length = message.length();
        if (length < BenchMessageLayout.MIN_LENGTH) {
            corrupted++;
            received.increment();
            return;
        }
        long header = message.getLong(BenchMessageLayout.HEADER_OFFSET);
        long sequence = BenchMessageLayout.sequence(header);
        Origin origin = origin(BenchMessageLayout.publisher(header), sequence, length);
        boolean intact = origin.sequences.accept(sequence) && length == origin.payload.messageLength();
        if (intact && BenchMessageLayout.isSpecimen(sequence)) {
            intact = origin.payload.matches(message, sequence);
        }
        if (!intact) {
            corrupted++;
        }
        if (BenchMessageLayout.isStamped(length)) {
            time(measurement, message.getLong(BenchMessageLayout.STAMP_OFFSET));
        }
        received.increment();
    }

    /** Starts or restarts the measurement. */
    public void begin() {
        window.begin();
        measurement = new Measurement();
    }

    /** Ends the measurement. A message that was due before this is timed even if it arrives later. */
    public void end() {
        window.end();
        endNs = System.nanoTime();
        ended = true;
    }

    /** Returns the number of messages received since the start. */
    public long received() {
        return received.get();
    }

    /** Returns the rate during the measurement in messages per second. */
    public double perSecond() {
        return window.perSecond();
    }

    /** Returns the number of lost messages. */
    public long lost() {
        return sum(SequenceCheck::lost);
    }

    /** Returns the number of messages that arrived more than once. */
    public long duplicated() {
        return sum(SequenceCheck::duplicated);
    }

    /** Returns the number of messages that arrived after a later one. */
    public long reordered() {
        return sum(SequenceCheck::reordered);
    }

    /** Returns the number of messages whose content differs from the published content. */
    public long corrupted() {
        return corrupted;
    }

    /**
     * Returns the latencies of stamped messages in nanoseconds, from the time at which each message was due until it
     * arrived. The result includes exactly the messages that were due during the measurement. Selecting messages by
     * arrival would exclude the slowest ones at the end.
     */
    public Histogram latencies() {
        return measurement.latencies;
    }

    private long sum(ToLongFunction<SequenceCheck> finding) {
        long sum = 0;
        for (Origin origin : origins) {
            sum += origin == null ? 0 : finding.applyAsLong(origin.sequences);
        }
        return sum;
    }

    private void time(Measurement current, long stamp) {
        if (stamp != BenchMessageLayout.NO_STAMP && stamp - current.beginNs >= 0 && (!ended || stamp - endNs < 0)) {
            current.latencies.recordValue(Math.min(MAX_LATENCY_NS, Math.max(0, System.nanoTime() - stamp)));
        }
    }

    private Origin origin(int publisher, long sequence, int length) {
        if (publisher < origins.length && origins[publisher] != null) {
            return origins[publisher];
        }
        if (publisher >= origins.length) {
            origins = Arrays.copyOf(origins, Math.max(publisher + 1, 2 * origins.length));
        }
        origins[publisher] = new Origin(new SequenceCheck(sequence), payloads.get(publisher, length));
        return origins[publisher];
    }
}
