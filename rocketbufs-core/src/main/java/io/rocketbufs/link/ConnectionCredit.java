package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The credit of a connection as a whole: the memory that the producers of all buffers together may use for its peer.
 *
 * <p>It limits nothing until the buffers could exceed it, which requires at least two of them. From then on, it is
 * active, and each buffer states what it uses. A buffer that needs more than the {@link #MINIMUM} waits while the
 * credit is used up.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> an addition to RocketBufs 3.3, where each buffer has its own
 * credit only.
 */
public final class ConnectionCredit {
    /** Number of bytes that each buffer may use even if none are left. */
    public static final long MINIMUM = 64 << 10;

    private final long limit;
    /** Bytes in use. A thread that has not finished stating a change may have stated its parts in the wrong order. */
    private final AtomicLong used = new AtomicLong();

    private final AtomicReference<CreditWaiter> waiters = new AtomicReference<>();

    // Guarded by this object's lock.
    private long capacity;
    private int bufferCount;

    private volatile boolean active;

    /** @param limit number of bytes that the buffers may use together */
    public ConnectionCredit(long limit) {
        this.limit = limit;
    }

    /** Adds a buffer that can have up to {@code length} bytes under way. */
    public synchronized void add(long length) {
        bufferCount++;
        capacity += Math.min(length, Long.MAX_VALUE - capacity);
        // Never becomes inactive again, because the buffers' statements would then be outdated.
        active |= bufferCount > 1 && capacity > limit;
    }

    /** Removes a buffer, which must have returned what it used. */
    public synchronized void remove(long length) {
        bufferCount--;
        capacity -= length;
    }

    /** Returns true when the buffers must state what they use. */
    public boolean isActive() {
        return active;
    }

    /** Returns true when buffers that use more than the minimum must wait. */
    public boolean isUsedUp() {
        return used.get() > limit;
    }

    /** Returns true when buffers should request the reports without which what they use is not returned. */
    public boolean isScarce() {
        return used.get() > limit / 2;
    }

    /** Returns the number of bytes in use. */
    public long used() {
        return used.get();
    }

    /** Records that a buffer uses {@code length} more bytes; if negative, that many less. */
    public void use(long length) {
        long now = used.addAndGet(length);
        // Waiters are notified when a quarter is free. Otherwise, few of them would find something.
        if (length < 0 && now <= limit - limit / 4 && waiters.get() != null) {
            notifyWaiters();
        }
    }

    /** Notifies the waiter once when there is credit. The caller must then check again whether there is some. */
    public void await(CreditWaiter waiter) {
        if (waiter.begin()) {
            CreditWaiter first;
            do {
                first = waiters.get();
                waiter.next = first;
            } while (!waiters.compareAndSet(first, waiter));
        }
    }

    private void notifyWaiters() {
        CreditWaiter waiter = waiters.getAndSet(null);
        while (waiter != null) {
            CreditWaiter following = waiter.next;
            // Ended first: the notified thread may wait again.
            waiter.end();
            waiter.onCredit();
            waiter = following;
        }
    }
}
