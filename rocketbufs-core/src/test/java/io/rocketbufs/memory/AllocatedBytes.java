package io.rocketbufs.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** A meter of the heap memory that the current thread allocates. */
public final class AllocatedBytes {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocatedBytes() {}

    /**
     * Returns the number of bytes that each call of an action allocates. The result is the minimum over all rounds,
     * which excludes allocations that do not occur in every call.
     *
     * @param count number of calls in each round
     */
    public static double perCall(int rounds, int count, Runnable action) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < count; i++) {
                action.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return (double) least / count;
    }
}
