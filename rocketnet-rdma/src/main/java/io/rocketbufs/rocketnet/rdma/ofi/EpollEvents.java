package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Platform;

/**
 * An array of {@code struct epoll_event}, which is packed only on x86-64.
 *
 * <p><b>Thread-safety:</b> not thread-safe.
 */
public final class EpollEvents {
    private static final boolean PACKED = Platform.getPlatform().getCPU() == Platform.CPU.X86_64;
    private static final int DATA = PACKED ? 4 : 8;
    private static final int LENGTH = PACKED ? 12 : 16;

    private final NativeBlock block;
    private final int size;

    /** Allocates an array of {@code size} events. */
    public EpollEvents(int size) {
        this.size = size;
        block = new NativeBlock(size * LENGTH);
    }

    int size() {
        return size;
    }

    long address() {
        return block.address();
    }

    void set(int index, int events, long number) {
        block.putInt(index * LENGTH, events).putLong(index * LENGTH + DATA, number);
    }

    /** Returns the number with which the descriptor was registered. */
    public long number(int index) {
        return block.getLong(index * LENGTH + DATA);
    }
}
