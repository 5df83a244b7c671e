package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that any thread can request, but only one thread at a time performs. No thread waits: if another thread is
 * already at work, that thread also serves the new request, or hands the work over to a third thread.
 *
 * <pre>
 *            request                   handOver
 *   idle ---------------&gt; at work ----------------&gt; handed over
 *     ^                   |    ^                        |
 *     +-- no request left +    +-------- goOn ----------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread. The actions of the thread at work happen-before those of the next thread that
 * performs the work.
 */
final class SerialWork {
    private final Pass pass;
    private final Runnable goOn = this::goOn;
    /** Number of unserved requests. The thread that makes it positive performs the work. */
    private final AtomicInteger requests = new AtomicInteger();
    /**
     * True if the work has been handed over and no thread has continued it yet. The thread that clears this flag
     * performs the work.
     */
    private final AtomicBoolean isHandedOver = new AtomicBoolean();

    /** One pass of the work. */
    interface Pass {
        /**
         * Performs all requested work; must not throw.
         *
         * @param isFirst false if this thread has just completed a previous pass
         * @return false if the work has been {@linkplain SerialWork#handOver handed over}
         */
        boolean run(boolean isFirst);
    }

    SerialWork(Pass pass) {
        this.pass = pass;
    }

    /** Requests a pass. The calling thread runs it, unless another thread is at work. */
    void request() {
        if (requests.getAndIncrement() == 0) {
            run();
        }
    }

    /** Requests another pass. Called during a pass. */
    void again() {
        requests.incrementAndGet();
    }

    /** Continues work that has been handed over, unless another thread has already continued it. */
    void goOn() {
        if (isHandedOver.compareAndSet(true, false)) {
            run();
        }
    }

    /** Hands the work over to another thread. Called during a pass, which must end if this returns true. */
    boolean handOver(Executor worker) {
        isHandedOver.set(true);
        try {
            worker.execute(goOn);
            return true;
        } catch (RuntimeException | Error e) { // continue here, unless a third thread already does
            return !isHandedOver.compareAndSet(true, false);
        }
    }

    private void run() {
        int seen = 0;
        boolean isFirst = true;
        do {
            seen = requests.get();
            if (!pass.run(isFirst)) {
                return;
            }
            isFirst = false;
        } while (requests.addAndGet(-seen) != 0);
    }
}
