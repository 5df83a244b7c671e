package io.rocketbufs.rbmq.client;

import io.rocketbufs.Segment;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

/**
 * A wait for space in a topic's buffer, or for the end of the topic.
 *
 * <p><b>Thread-safety:</b> callers hold the topic's lock, which is released while they wait.
 */
final class TopicSpaceWait {
    /** Maximum time before space is requested again. It is short because each request applies the slow policies. */
    private static final long ASK_AGAIN_MS = 10;

    private final String topic;
    private final BooleanSupplier isWorker;
    private final Claims claims;
    private final Lock lock;
    private final SpaceSignal space;

    /** The topic. Its methods are called under its lock. */
    interface Source {
        /**
         * Reserves space for a message; returns one of Segment's constants if there is no space. An exception releases
         * the lock.
         */
        Segment take(int length);

        /** Returns the result for a segment that was refused; null for one that was granted. */
        PublishResult refusal(Segment frame);
    }

    /**
     * Creates an object that waits for the space of one topic.
     *
     * @param topic the topic's name
     * @param isWorker returns true on a worker, which must not wait
     * @param claims the topic's claims; a thread with an open claim must not wait
     * @param space signalled when there may be space again, or when the topic has ended
     */
    TopicSpaceWait(String topic, BooleanSupplier isWorker, Claims claims, Lock lock, SpaceSignal space) {
        this.topic = topic;
        this.isWorker = isWorker;
        this.claims = claims;
        this.lock = lock;
        this.space = space;
    }

    /**
     * Reserves space for a message, waiting for it if necessary. The caller holds the lock after a normal return, but
     * not after an exception.
     *
     * @return a frame, or one of Segment's constants; null if the thread was interrupted
     * @throws IllegalStateException when there is no space and this thread must not wait
     */
    Segment take(Source source, int length, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            long seen = space.last();
            Segment frame = source.take(length);
            if (source.refusal(frame) != PublishResult.NO_SPACE) {
                return frame;
            }
            if (space.refused(seen)) {
                if (deadlineNs - System.nanoTime() <= 0) {
                    return frame;
                }
                if (!await(seen)) {
                    return null;
                }
            }
        }
    }

    /**
     * Waits for a signal or for {@link #ASK_AGAIN_MS}, releasing the lock meanwhile; returns false if the thread was
     * interrupted. The caller does not hold the lock after an exception.
     *
     * @param seen the number of the last signal, read before the attempt to reserve space
     */
    private boolean await(long seen) {
        try {
            checkMayWait();
        } finally {
            lock.unlock();
        }
        try {
            space.await(seen, ASK_AGAIN_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.lock();
        }
    }

    private void checkMayWait() {
        if (isWorker.getAsBoolean()) {
            throw new IllegalStateException("topic=" + topic + ": a worker must not wait for space");
        }
        claims.checkNoneOf(Thread.currentThread());
    }
}
