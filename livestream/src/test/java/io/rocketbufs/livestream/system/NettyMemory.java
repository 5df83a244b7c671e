package io.rocketbufs.livestream.system;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The memory that Netty has allocated for socket data. */
final class NettyMemory {
    private NettyMemory() {}

    /** Returns the number of bytes currently in use outside the heap. */
    static long used() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /** Waits until the number of bytes in use is stable and returns it. */
    static long settled() {
        long last = -1;
        int same = 0;
        for (int i = 0; i < 100 && same < 5; i++) {
            long now = used();
            same = now == last ? same + 1 : 0;
            last = now;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        return last;
    }
}
