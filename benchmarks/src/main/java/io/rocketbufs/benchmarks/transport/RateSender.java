package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;

/**
 * Writes messages as fast as the transport and the receiver's space allow, and marks the measured part.
 *
 * <p>Pumps on the worker, some messages at a time, so that arrivals and completions get their turn. What stops it calls
 * it again: {@code writable} after a full window, an answer after starvation.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class RateSender implements Side {
    private static final int MESSAGES_PER_TURN = 256;

    private final Link link;
    private final BenchRun run;
    private final MessageWriter writer;
    private final CreditLine credit;
    private final long warmNs;
    private final long endNs;
    private boolean measuring;
    private boolean over;
    private boolean looked;
    private boolean asked;
    private long starvations;
    private long processorNs;
    private long receiverProcessorNs;
    private BenchResult result;

    RateSender(Link link, BenchRun run, MessageWriter writer, CreditLine credit) {
        this.link = link;
        this.run = run;
        this.writer = writer;
        this.credit = credit;
        warmNs = System.nanoTime() + run.warmupNs();
        endNs = warmNs + run.durationNs();
    }

    @Override
    public void turn() {
        if (over || !mark()) {
            return;
        }
        long space = 0;
        for (int i = 0; i < MESSAGES_PER_TURN; i++) {
            if (space == 0) {
                space = space();
            }
            if (space == 0) {
                starve();
                return;
            }
            if (!writer.post()) {
                return;
            }
            space--;
            looked = false;
        }
        link.again();
    }

    /** Messages that the receiver has space for; a division, so not asked for each. */
    private long space() {
        return run.slots() - (writer.count() - credit.consumed() / run.size());
    }

    /**
     * First looks whether credit has arrived meanwhile, then asks: once until it is answered. The answer comes after
     * all that was written before.
     */
    private void starve() {
        if (!looked) {
            looked = true;
            link.again();
        } else if (!asked) {
            asked = true;
            starvations++;
            link.tell(BenchMessage.STARVING, 0, 0);
        }
    }

    /** Marks begin and end when their time has come; false when no message is to follow now. */
    private boolean mark() {
        long now = System.nanoTime();
        if (!measuring && now - warmNs >= 0) {
            measuring = true;
            starvations = 0;
            processorNs = -ProcessorTime.ns();
            link.tell(BenchMessage.MARK_BEGIN, 0, 0);
        }
        if (now - endNs >= 0) {
            over = true;
            processorNs += ProcessorTime.ns();
            link.tell(BenchMessage.MARK_END, 0, 0);
        }
        return !over && link.flush();
    }

    @Override
    public void control(BenchMessage type, long a, long b) {
        switch (type) {
            case CREDIT -> credit.told(a);
            case ANSWER -> {
                credit.told(a);
                asked = false;
            }
            case PROCESSOR -> receiverProcessorNs = a;
            case REPORT -> {
                result = BenchResult.rate(run, a, b, starvations, processorNs, receiverProcessorNs);
                link.tell(BenchMessage.END, 0, 0);
            }
            case BYE -> link.finish(result);
            default -> throw new IllegalStateException("unexpected message: " + type);
        }
    }

    @Override
    public void place(int length, Vecs into) {
        throw new IllegalStateException("a message at the sender");
    }

    @Override
    public void arrived(int immediate, int length) {
        throw new IllegalStateException("a message at the sender");
    }
}
