package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The credit of a connection as a whole: the total amount of memory that the producers of all buffers may use for one
 * peer.
 *
 * <p>The credit becomes active once the connection has at least two buffers whose combined use could exceed it. Until
 * then, it limits nothing. After that, each buffer reports its use. While the credit is used up, a buffer that needs
 * more than the {@link #MINIMUM} waits.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Source:</b> an addition to RocketBufs 3.3, where only the individual buffers
 * have credit.
 */
public final class ConnectionCredit {
    /** Number of bytes that each buffer may use even if the credit is used up. */
    public static final long MINIMUM = 64 << 10;

    private final long limit;
    /**
     * Number of bytes in use. The number may be inaccurate while a thread is reporting the parts of a change, possibly
     * in the wrong order.
     */
    private final AtomicLong used = new AtomicLong();

    private final AtomicReference<CreditWaiter> waiters = new AtomicReference<>();

    // Guarded by this object's lock.
    private long capacity;
    private int bufferCount;

    private volatile boolean active;

    /** @param limit total number of bytes that all buffers may use */
    public ConnectionCredit(long limit) {
        this.limit = limit;
    }

    /** Adds a buffer that can have up to {@code length} bytes in flight. */
    public synchronized void add(long length) {
        bufferCount++;
        capacity += Math.min(length, Long.MAX_VALUE - capacity);
        // The credit never becomes inactive again, because the numbers that buffers reported earlier would then be
        // outdated.
        active |= bufferCount > 1 && capacity > limit;
    }

    /** Removes a buffer. The buffer must have returned all the credit that it used. */
    public synchronized void remove(long length) {
        bufferCount--;
        capacity -= length;
    }

    /** Returns true if the buffers must report their use. */
    public boolean isActive() {
        return active;
    }

    /** Returns true if buffers that use more than the minimum must wait. */
    public boolean isUsedUp() {
        return used.get() > limit;
    }

    /** Returns true if the buffers should request consumption reports, without which they cannot return credit. */
    public boolean isScarce() {
        return used.get() > limit / 2;
    }

    /** Returns the number of bytes in use. */
    public long used() {
        return used.get();
    }

    /** Adds {@code length} bytes to a buffer's use; a negative length reduces it. */
    public void use(long length) {
        long now = used.addAndGet(length);
        // Waiters are notified only once a quarter is free. Before that, few of them would find credit.
        if (length < 0 && now <= limit - limit / 4 && waiters.get() != null) {
            notifyWaiters();
        }
    }

    /**
     * Registers a waiter to be notified once when credit is available. The caller must then check again whether credit
     * is available.
     */
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
            // End the wait before the notification: the notified thread may wait again.
            waiter.end();
            waiter.onCredit();
            waiter = following;
        }
    }
}
