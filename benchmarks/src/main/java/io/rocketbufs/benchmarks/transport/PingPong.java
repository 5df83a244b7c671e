package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;
import org.HdrHistogram.Histogram;

/**
 * Both sides of the latency mode: whoever receives the message writes the next one, from within the report of its
 * arrival. The client measures.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class PingPong implements Side {
    private static final long LONGEST_NS = 60_000_000_000L;

    private final Link link;
    private final BenchRun run;
    private final boolean client;
    private final MessageReader reader;
    private final MessageWriter writer;
    private final Histogram histogram = new Histogram(LONGEST_NS, 3);
    private final long warmNs;
    private final long endNs;
    private boolean due;
    private long startNs;

    PingPong(Link link, BenchRun run, boolean client, MessageReader reader, MessageWriter writer) {
        this.link = link;
        this.run = run;
        this.client = client;
        this.reader = reader;
        this.writer = writer;
        this.due = client;
        startNs = System.nanoTime();
        warmNs = startNs + run.warmupNs();
        endNs = warmNs + run.durationNs();
    }

    @Override
    public void turn() {
        if (due && writer.post()) {
            due = false;
        }
    }

    @Override
    public void place(int length, Vecs into) {
        reader.place(length, into);
    }

    @Override
    public void arrived(int immediate, int length) {
        if (!reader.arrived(immediate, length)) {
            return;
        }
        if (client && !record()) {
            link.tell(BenchMessage.END, 0, 0);
            return;
        }
        due = true;
        turn();
    }

    /** Half of the round trip; false when it was the last. */
    private boolean record() {
        long now = System.nanoTime();
        if (startNs - warmNs >= 0) {
            histogram.recordValue((now - startNs) / 2);
        }
        startNs = now;
        return now - endNs < 0;
    }

    @Override
    public void control(BenchMessage type, long a, long b) {
        switch (type) {
            case END -> {
                reader.check();
                link.tell(BenchMessage.BYE, 0, 0);
            }
            case BYE -> link.finish(BenchResult.latency(run, histogram));
            default -> throw new IllegalStateException("unexpected message: " + type);
        }
    }
}
