package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.Vecs;

/**
 * Counts what arrives between the marks; consumes at once, and tells so at every quarter of the capacity and when
 * asked.
 *
 * <p><b>Thread-safety:</b> the worker.
 */
final class RateReceiver implements Side {
    private final Link link;
    private final BenchRun run;
    private final MessageReader reader;
    private final CreditLine credit;
    private long reported;
    private boolean answerDue;
    private long markCount;
    private long markNs;
    private long markProcessorNs;

    RateReceiver(Link link, BenchRun run, MessageReader reader, CreditLine credit) {
        this.link = link;
        this.run = run;
        this.reader = reader;
        this.credit = credit;
    }

    @Override
    public void place(int length, Vecs into) {
        reader.place(length, into);
    }

    @Override
    public void arrived(int immediate, int length) {
        reader.arrived(immediate, length);
    }

    @Override
    public void turn() {
        long count = reader.count();
        boolean due = answerDue || (count - reported) * 4 >= run.slots();
        if (due && credit.report(count * run.size(), answerDue)) {
            answerDue = false;
            reported = count;
        }
    }

    @Override
    public void control(BenchMessage type, long a, long b) {
        switch (type) {
            case STARVING -> answerDue = true;
            case MARK_BEGIN -> {
                markCount = reader.count();
                markNs = System.nanoTime();
                markProcessorNs = ProcessorTime.ns();
            }
            case MARK_END -> {
                long ns = System.nanoTime() - markNs;
                link.tell(BenchMessage.PROCESSOR, ProcessorTime.ns() - markProcessorNs, 0);
                link.tell(BenchMessage.REPORT, reader.count() - markCount, ns);
            }
            case END -> {
                reader.check();
                link.tell(BenchMessage.BYE, 0, 0);
            }
            default -> throw new IllegalStateException("unexpected message: " + type);
        }
    }
}
