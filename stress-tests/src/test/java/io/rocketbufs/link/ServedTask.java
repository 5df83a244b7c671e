package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicInteger;

/** A task that is served by the thread that queued it. It detects if it is queued twice. */
final class ServedTask extends SendTask {
    static final int FIRST = FIRST_REQUEST;
    static final int SECOND = FIRST_REQUEST << 1;

    final Work work = new Work();
    private final AtomicInteger queued = new AtomicInteger(1);
    private final AtomicInteger twice = new AtomicInteger();
    private final Outcome outcome;
    private int served;

    /** Creates a queued task that returns {@code outcome} whenever it is taken. */
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

    /** Makes the task idle before the test begins. */
    ServedTask resting() {
        queued.set(0);
        rest(outcome);
        return this;
    }

    /** Serves this task if the caller has claimed the right to queue it. */
    void serveIf(boolean claimed) {
        if (claimed) {
            twice.addAndGet(queued.getAndIncrement());
            serve();
        }
    }

    /** Serves this task until it is idle. */
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

    /** Returns the served requests as bits, shifted so that {@link #FIRST} is bit 0. */
    int served() {
        return served / FIRST;
    }

    /**
     * Returns the number of times that this task was queued while already queued, or was served by two threads at the
     * same time.
     */
    int twice() {
        return twice.get() + work.overlaps();
    }
}
