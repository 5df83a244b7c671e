package io.rocketbufs.rocketnet.shm;

import com.kenai.jffi.Platform;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * The descriptors for which a worker waits, and an eventfd with which other threads end the wait.
 *
 * <p>The events are an array of {@code struct epoll_event}, which is packed only on x86-64.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #interrupt()} and {@link #close()}; all other methods belong to
 * the worker. <b>Ownership:</b> owns both descriptors.
 */
final class ShmEpoll {
    private static final boolean PACKED = Platform.getPlatform().getCPU() == Platform.CPU.X86_64;
    private static final int DATA = PACKED ? 4 : 8;
    private static final int EVENT_LENGTH = PACKED ? 12 : 16;
    private static final int EVENTS = 64;
    private static final int CLOEXEC = 0x80000;
    private static final int EFD_NONBLOCK = 0x800;
    private static final int EPOLLIN = 1;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;

    private final ShmCalls wait = ShmCalls.of("epoll_wait");
    private final ShmCalls control = ShmCalls.of("epoll_ctl");
    private final ShmCalls read = ShmCalls.of("read");
    private final ShmCalls write = ShmCalls.of("write");
    private final ByteBuffer events = ShmCalls.block(EVENTS * EVENT_LENGTH);
    private final long eventsAddress = ShmCalls.address(events);
    private final ByteBuffer one = ShmCalls.block(Long.BYTES).putLong(0, 1);
    private final long oneAddress = ShmCalls.address(one);
    private final ByteBuffer count = ShmCalls.block(Long.BYTES);
    private final long countAddress = ShmCalls.address(count);
    private final int epoll;
    private final int eventfd;
    private boolean closed;

    ShmEpoll() throws ShmException {
        ShmCalls create = ShmCalls.of("epoll_create1");
        epoll = create.check(create.call(CLOEXEC));
        int event = -1;
        try {
            ShmCalls eventfdCall = ShmCalls.of("eventfd");
            event = eventfdCall.check(eventfdCall.call(0, EFD_NONBLOCK | CLOEXEC));
            add(event);
        } catch (ShmException e) {
            ShmSocket.closeDescriptor(event);
            ShmSocket.closeDescriptor(epoll);
            throw e;
        }
        eventfd = event;
    }

    void add(int descriptor) throws ShmException {
        ByteBuffer event = ShmCalls.block(EVENT_LENGTH).putInt(0, EPOLLIN).putLong(DATA, descriptor);
        control.check(control.call(epoll, EPOLL_CTL_ADD, descriptor, ShmCalls.address(event)));
        Reference.reachabilityFence(event);
    }

    void remove(int descriptor) {
        control.call(epoll, EPOLL_CTL_DEL, descriptor, eventsAddress);
    }

    /**
     * Waits until a descriptor is ready, {@link #interrupt()} is called or the timeout expires. Returns the number of
     * events.
     */
    int await(int timeoutMs) {
        return Math.max(0, (int) wait.call(epoll, eventsAddress, EVENTS, timeoutMs));
    }

    /** Returns the descriptor of an event. For an interrupt, clears the interrupt and returns -1. */
    int descriptor(int index) {
        int descriptor = (int) events.getLong(index * EVENT_LENGTH + DATA);
        if (descriptor != eventfd) {
            return descriptor;
        }
        read.call(eventfd, countAddress, Long.BYTES);
        return -1;
    }

    /** Ends the wait. The lock prevents a write to a descriptor whose number has been reused. */
    synchronized void interrupt() {
        if (!closed) {
            write.call(eventfd, oneAddress, Long.BYTES);
        }
    }

    synchronized void close() {
        closed = true;
        ShmSocket.closeDescriptor(eventfd);
        ShmSocket.closeDescriptor(epoll);
    }
}
