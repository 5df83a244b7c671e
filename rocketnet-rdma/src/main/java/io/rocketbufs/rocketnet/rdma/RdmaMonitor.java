package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.EpollEvents;
import io.rocketbufs.rocketnet.rdma.ofi.Libc;
import io.rocketbufs.rocketnet.rdma.ofi.NativeBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The thread of one NIC that waits for the NIC's queues. It passes the events to workers or handles them itself.
 *
 * <p>A queue is <em>armed</em> when the provider has confirmed that waiting is safe, which means that the queue's
 * descriptor becomes readable with the next event. A queue that is not armed is read in each round.
 *
 * <p><b>Thread-safety:</b> belongs to its own thread unless stated otherwise. <b>Source:</b> RocketBufs 3.5.
 */
final class RdmaMonitor extends RdmaThread {
    private static final int EVENTS = 64;
    private static final long INTERRUPT = 0;
    /** Number of consecutive rounds with events after which the armed queues are also checked. */
    private static final int ROUNDS_PER_LOOK = 4;

    private final Libc libc = Libc.instance();
    private final int epoll = libc.epollCreate();
    private final int interrupt = libc.eventfd();
    private final NativeBlock one = new NativeBlock(Long.BYTES).putLong(0, 1);
    private final NativeBlock read = new NativeBlock(Long.BYTES);
    private final EpollEvents events = new EpollEvents(EVENTS);
    private final Map<Long, RdmaQueue> queues = new HashMap<>();
    private final List<RdmaQueue> unarmed = new ArrayList<>();
    private long lastNumber = INTERRUPT;
    private int busyRounds;
    private volatile boolean waitsForRoom;
    private boolean ended;

    RdmaMonitor(String name, long spinNs) {
        super(name, spinNs);
        libc.epollAdd(epoll, interrupt, INTERRUPT);
    }

    /** Starts watching a queue. */
    void add(RdmaQueue queue) {
        queue.number = ++lastNumber;
        libc.epollAdd(epoll, queue.descriptor(), queue.number);
        queues.put(queue.number, queue);
        disarm(queue);
    }

    /** Stops watching a queue, which may then be closed. */
    void remove(RdmaQueue queue) {
        if (queues.remove(queue.number) != null) {
            libc.epollRemove(epoll, queue.descriptor());
            unarmed.remove(queue);
        }
    }

    private void disarm(RdmaQueue queue) {
        if (queue.armed) {
            queue.armed = false;
            unarmed.add(queue);
        }
    }

    @Override
    protected boolean poll() {
        boolean any = false;
        for (int i = unarmed.size() - 1; i >= 0; i--) {
            // Handling an event may remove and add queues.
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
    protected boolean hasEvents() {
        return !waitsForRoom && !unarmed.isEmpty();
    }

    private boolean poll(RdmaQueue queue) {
        if (!queue.mayPoll()) {
            waitsForRoom = true;
            // Checked again, because a worker may have made room before the flag was set.
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

    /** Called by any worker once it has room for more completions. */
    void roomMade() {
        if (waitsForRoom) {
            waitsForRoom = false;
            wakeUp();
        }
    }

    @Override
    protected void await(long timeoutMs) {
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
    protected synchronized void interrupt() {
        if (!ended) {
            libc.write(interrupt, one);
        }
    }

    /**
     * Closes the descriptors. Synchronized, because a thread that wakes this monitor must not write to a descriptor
     * that has been closed and reused.
     */
    @Override
    protected synchronized void end() {
        ended = true;
        libc.close(epoll);
        libc.close(interrupt);
    }

    // Called by the monitor when it handles events itself.

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
