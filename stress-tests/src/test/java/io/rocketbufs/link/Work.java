package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that any thread can add, but that only the holder of an exclusive right, such as a token, may do. It detects two
 * concurrent holders.
 */
final class Work {
    private final AtomicInteger waiting = new AtomicInteger();
    /**
     * Not volatile, like the data that a token guards, because the right to do the work must also order memory
     * accesses.
     */
    private int done;

    private int holders;
    private int overlaps;

    void add() {
        waiting.incrementAndGet();
    }

    boolean isWaiting() {
        return waiting.get() > 0;
    }

    /** Does all pending work. */
    void run() {
        overlaps += holders;
        holders++;
        done += waiting.getAndSet(0);
        holders--;
    }

    int done() {
        return done;
    }

    int overlaps() {
        return overlaps;
    }
}
