package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.EpollEvents;
import io.rocketbufs.rocketnet.rdma.ofi.Libc;
import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The thread of one NIC: waits for its queues and hands the events to workers, or handles them itself.
 *
 * <p>A queue is <em>armed</em> when the provider has agreed that it may be waited for; then its descriptor becomes
 * readable with the next event. Whoever is not armed is read each round.
 *
 * <p><b>Thread-safety:</b> its own thread but where it says otherwise. <b>Source:</b> RocketBufs 3.5.
 */
final class RdmaMonitor extends RdmaThread {
    private static final int EVENTS = 64;
    private static final long INTERRUPT = 0;
    /** The armed queues may wait for so many rounds of those that have events. */
    private static final int ROUNDS_PER_LOOK = 4;

    private final Libc libc = Libc.instance();
    private final int epoll = libc.epollCreate();
    private final int interrupt = libc.eventfd();
    private final NativeBlock one = new NativeBlock(Long.BYTES).putLong(0, 1);
    private final NativeBlock read = new NativeBlock(Long.BYTES);
    private final EpollEvents events = new EpollEvents(EVENTS);
    private final Map<Long, EventQueue> queues = new HashMap<>();
    private final List<EventQueue> unarmed = new ArrayList<>();
    private long lastNumber = INTERRUPT;
    private int busyRounds;
    private volatile boolean waitsForRoom;
    private boolean ended;

    /** A queue of libfabric. */
    abstract static class EventQueue {
        private long number;
        private boolean armed = true;

        /** The descriptor to wait for. */
        abstract int descriptor();

        /** Handles some events; false when there was none. */
        abstract boolean poll();

        /** False when there are events, so that it must not be waited for. */
        abstract boolean arm();

        /** False while those who handle its events cannot take more. */
        boolean mayPoll() {
            return true;
        }
    }

    RdmaMonitor(String name, long spinNs) {
        super(name, spinNs);
        libc.epollAdd(epoll, interrupt, INTERRUPT);
    }

    /** Watches a queue. */
    void add(EventQueue queue) {
        queue.number = ++lastNumber;
        libc.epollAdd(epoll, queue.descriptor(), queue.number);
        queues.put(queue.number, queue);
        disarm(queue);
    }

    /** Watches a queue no more, which may then be closed. */
    void remove(EventQueue queue) {
        if (queues.remove(queue.number) != null) {
            libc.epollRemove(epoll, queue.descriptor());
            unarmed.remove(queue);
        }
    }

    private void disarm(EventQueue queue) {
        if (queue.armed) {
            queue.armed = false;
            unarmed.add(queue);
        }
    }

    @Override
    boolean poll() {
        boolean any = false;
        for (int i = unarmed.size() - 1; i >= 0; i--) {
            // A handled event may remove queues, and add some.
            if (i < unarmed.size()) {
                any |= poll(unarmed.get(i));
            }
        }
        if (any && ++busyRounds % ROUNDS_PER_LOOK == 0) {
            look(0);
        }
        return any;
    }

    @Override
    boolean hasEvents() {
        return !waitsForRoom && !unarmed.isEmpty();
    }

    private boolean poll(EventQueue queue) {
        if (!queue.mayPoll()) {
            waitsForRoom = true;
            // Once more, for room may have been made before it was said that it is waited for.
            return queue.mayPoll();
        }
        if (queue.poll()) {
            return true;
        }
        if (queues.get(queue.number) != queue) {
            return true;
        }
        if (!queue.arm()) {
            return true;
        }
        queue.armed = true;
        unarmed.remove(queue);
        return false;
    }

    /** Somebody who handles events can take more; any thread. */
    void roomMade() {
        if (waitsForRoom) {
            waitsForRoom = false;
            wakeUp();
        }
    }

    @Override
    void await(long timeoutMs) {
        look((int) timeoutMs);
    }

    private void look(int timeoutMs) {
        int count = libc.epollWait(epoll, events, timeoutMs);
        for (int i = 0; i < count; i++) {
            long number = events.number(i);
            if (number == INTERRUPT) {
                libc.read(interrupt, read);
            } else if (queues.get(number) != null) {
                disarm(queues.get(number));
            }
        }
    }

    @Override
    synchronized void interrupt() {
        if (!ended) {
            libc.write(interrupt, one);
        }
    }

    /** Whoever is about to interrupt must not write to what has this descriptor next. */
    @Override
    synchronized void end() {
        ended = true;
        libc.close(epoll);
        libc.close(interrupt);
    }

    // As the one who handles the events.

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void completion(CompletionTarget target, long context, long flags, long length, long data) {
        try {
            target.completion(context, flags, length, data);
        } catch (RuntimeException | Error e) {
            taskFailed(e);
        }
    }

    @Override
    public void inOrder(Runnable task) {
        runGuarded(task);
    }
}
