package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that is served by the thread that queued it; sees when it is queued twice. */
final class ServedTask extends SendTask {
    static final int FIRST = FIRST_REQUEST;
    static final int SECOND = FIRST_REQUEST << 1;

    final Work work = new Work();
    private final AtomicInteger queued = new AtomicInteger(1);
    private final AtomicInteger twice = new AtomicInteger();
    private final Outcome outcome;
    private int served;

    /** Begins as queued; comes to {@code outcome} whenever it is taken. */
    ServedTask(Outcome outcome) {
        this.outcome = outcome;
    }

    @Override
    protected Outcome take(int requests) {
        served |= requests;
        work.run();
        return outcome;
    }

    @Override
    protected boolean hasWork() {
        return work.isWaiting();
    }

    /** Goes to rest before anything happens. */
    ServedTask resting() {
        queued.set(0);
        rest(outcome);
        return this;
    }

    /** Serves when the right to queue this task was claimed. */
    void serveIf(boolean claimed) {
        if (claimed) {
            twice.addAndGet(queued.getAndIncrement());
            serve();
        }
    }

    /** Serves until this rests. */
    void serve() {
        boolean rests;
        do {
            Outcome came = take(takeRequests());
            queued.decrementAndGet();
            rests = rest(came);
            if (!rests) {
                queued.incrementAndGet();
            }
        } while (!rests);
    }

    /** The requests that were served; shifted, so that the first is 1. */
    int served() {
        return served / FIRST;
    }

    /** How often it was queued while it was, or served by two threads. */
    int twice() {
        return twice.get() + work.overlaps();
    }
}
