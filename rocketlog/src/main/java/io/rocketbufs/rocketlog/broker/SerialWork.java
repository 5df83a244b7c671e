package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that any thread requests, and one thread at a time does. No thread waits: one that finds another at work leaves
 * its request to that one, which can let a third one go on.
 *
 * <pre>
 *            request                   handOver
 *   idle ---------------&gt; at work ----------------&gt; handed over
 *     ^                   |    ^                        |
 *     +-- no request left +    +-------- goOn ----------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread; what one thread did in its work happens before that of the next one.
 */
final class SerialWork {
    private final Pass pass;
    private final Runnable goOn = this::goOn;
    /** The thread that makes it positive works. */
    private final AtomicInteger requests = new AtomicInteger();
    /** True if there are requests, and no thread works: the first one that takes this back does. */
    private final AtomicBoolean isHandedOver = new AtomicBoolean();

    /** A part of the work. */
    interface Pass {
        /**
         * Does everything that has been requested; must not throw.
         *
         * @param isFirst false if this thread has just ended another pass
         * @return false if the work has been {@linkplain SerialWork#handOver handed over}
         */
        boolean run(boolean isFirst);
    }

    SerialWork(Pass pass) {
        this.pass = pass;
    }

    /** Requests a pass, which this thread runs if no other one is at work. */
    void request() {
        if (requests.getAndIncrement() == 0) {
            run();
        }
    }

    /** Requests another pass; called during a pass. */
    void again() {
        requests.incrementAndGet();
    }

    /** Goes on with work that has been handed over, unless another thread has done so. */
    void goOn() {
        if (isHandedOver.compareAndSet(true, false)) {
            run();
        }
    }

    /** Lets another thread go on. Called during a pass, which ends if this returns true. */
    boolean handOver(Executor worker) {
        isHandedOver.set(true);
        try {
            worker.execute(goOn);
            return true;
        } catch (RuntimeException | Error e) { // it cannot, so this thread does, unless a third one has begun to
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
