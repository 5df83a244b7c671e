package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.record.RingLayout;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A consumer's connection to the broker, which opens segments and reads their memory. When the connection ends, all
 * waiting calls fail with a {@link TransportException}.
 *
 * <pre>
 *             WAIT sent               READY arrived
 *   POLLING -------------&gt; WAITING -----------------&gt; READY
 *      ^                       |                         |
 *      +-- something to do ----+------- next poll -------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread at a time; the connection's worker delivers its events.
 */
final class ConsumerLink implements RemoteMemoryCallback {
    private final LogClientSettings settings;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private RemoteMemory slots;
    /** Number of reads posted so far. */
    private long posted;

    /** Written under the lock, before the link is used. */
    private volatile LogConnection connection;

    /** Written under the lock. The following fields are both written and read under the lock. */
    private volatile Watch watch = Watch.POLLING;

    private boolean isAbandoned;
    /** Number of reads completed so far. Reads of different memory can complete in any order. */
    private long completed;

    private Throwable failure;
    private boolean hasEnded;

    /** The ways in which the consumer learns of the next record. */
    private enum Watch {
        /** The consumer polls. */
        POLLING,
        /** The broker will send READY. */
        WAITING,
        /** The broker has sent READY. */
        READY
    }

    /**
     * A segment to which the broker has given this client access.
     *
     * @param opened the broker's description of the segment
     * @param memory the bytes of the segment
     */
    record SegmentLink(OpenedSegment opened, RemoteMemory memory) {}

    private ConsumerLink(LogClientSettings settings) {
        this.settings = settings;
    }

    /**
     * Connects to the broker, and waits until the broker has accepted the client.
     *
     * @throws TransportException if the broker cannot be reached
     * @throws LogClientException if the broker does not respond in time
     */
    static ConsumerLink connect(RocketBufs rocketBufs, LogClientSettings settings) {
        ConsumerLink link = new ConsumerLink(settings);
        CompletableFuture<LogConnection> connecting =
                LogConnection.connect(rocketBufs, settings, link::onBegun, link::onEnded);
        try {
            LogConnection.await(connecting, settings);
            return link;
        } catch (RuntimeException e) {
            link.abandon();
            throw e;
        }
    }

    private void onBegun(LogConnection made) {
        lock.lock();
        try {
            connection = made;
            made.setReadyCallback(this::onReady);
            if (isAbandoned) {
                made.connection().close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes a connection that the broker has not accepted in time, even if the broker accepts it later. */
    private void abandon() {
        lock.lock();
        try {
            isAbandoned = true;
            if (connection != null) {
                connection.connection().close();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Opens a segment of a partition.
     *
     * @throws TransportException if the connection has ended, or the response is inconsistent
     * @throws LogClientException if the broker refuses the request, or does not respond in time
     */
    SegmentLink open(TopicIdentity topic, int partition, StartKind kind, long value) {
        CompletableFuture<ByteBuffer> answer = connection.ask(correlation ->
                SegmentMessageLayout.open(correlation, topic.name(), topic.id(), partition, kind, value));
        OpenedSegment opened;
        try {
            opened = SegmentMessageLayout.openedSegment(LogConnection.await(answer, settings));
        } catch (LogClientException e) { // the broker may still open the segment
            answer.thenAccept(late -> close(SegmentMessageLayout.openedSegment(late)));
            throw e;
        }
        RemoteMemory memory = connection.connection().remoteMemory(opened.grant(), this);
        if (slots == null) {
            slots = connection.connection().remoteMemory(opened.slots(), this);
        }
        boolean isPossible = opened.slot() >= 0
                && opened.slot() < SlotLayout.COUNT
                && slots.length() == SlotLayout.LENGTH
                && opened.baseOffset() >= 0
                && opened.baseOffset() <= opened.offset()
                && opened.firstOffset() >= 0
                && opened.firstOffset() <= opened.offset()
                && opened.offset() <= opened.nextOffset()
                && opened.position() >= 0
                && opened.position() <= memory.length()
                && (opened.ringSegmentLength() == 0 || isRing(opened, memory));
        if (!isPossible) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    connection.connection().peer() + ": invalid description of a segment from the broker: slot="
                            + opened.slot() + ", baseOffset=" + opened.baseOffset() + ", offset=" + opened.offset()
                            + ", firstOffset=" + opened.firstOffset() + ", nextOffset=" + opened.nextOffset()
                            + ", position=" + opened.position() + ", length=" + memory.length());
        }
        topic.found(opened.topicId());
        return new SegmentLink(opened, memory);
    }

    private static boolean isRing(OpenedSegment opened, RemoteMemory memory) {
        return opened.ringSegmentLength() > 0
                && opened.position() <= opened.ringSegmentLength()
                && memory.length() == RingLayout.length(opened.ringSegmentLength());
    }

    /** Returns true if the transport or this process executes the reads, without the broker's process. */
    boolean readsDirectly() {
        return slots != null && slots.isNative(Capabilities.Operation.READ);
    }

    /**
     * Closes a segment that is no longer read. Also ends waiting, because the broker does not send READY for a closed
     * segment.
     */
    void close(SegmentLink segment) {
        resume();
        close(segment.opened());
    }

    private void close(OpenedSegment opened) {
        connection.connection().sendControlMessage(SegmentMessageLayout.close(opened.slot()));
    }

    /** Reads the words of consecutive slots into a region, and waits until all reads have completed. */
    void readSlots(int first, int count, Region into) throws InterruptedException {
        boolean isPosted = post(slots, SlotLayout.place(first), count * Long.BYTES, into, 0);
        awaitReads();
        if (!isPosted) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, connection.connection().peer() + " revoked access to the slots");
        }
    }

    /**
     * Reads a part of a segment's memory into a region. If this process can access the memory, the read completes
     * immediately; otherwise it is posted, and {@link #awaitReads} waits for it. Reads of the same memory are executed
     * in the order of the calls.
     *
     * @return false if the broker has revoked access to the memory
     */
    boolean postRead(SegmentLink segment, long place, int length, Region into, int intoOffset)
            throws InterruptedException {
        return post(segment.memory(), place, length, into, intoOffset);
    }

    private boolean post(RemoteMemory memory, long place, int length, Region into, int intoOffset)
            throws InterruptedException {
        if (memory.readDirectly(place, length, into, intoOffset)) {
            return true;
        }
        lock.lockInterruptibly();
        try {
            Posted result = memory.read(place, length, into, intoOffset, 0);
            while (!hasEnded && result == Posted.NO_WINDOW) {
                changed.await();
                result = memory.read(place, length, into, intoOffset, 0);
            }
            if (result == Posted.POSTED) {
                posted++;
            }
            if (hasEnded) {
                throw lost();
            }
            return result == Posted.POSTED;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all reads have completed.
     *
     * @throws TransportException if the connection has ended
     */
    void awaitReads() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!hasEnded && completed < posted) {
                changed.await();
            }
            if (hasEnded) {
                throw lost();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the broker to send READY when new records can be read.
     *
     * @param message a WAIT message that covers all partitions
     * @throws TransportException if the connection has ended
     */
    void askForReady(ByteBuffer message) {
        setWatch(Watch.WAITING); // first, because the response can arrive immediately
        connection.connection().sendControlMessage(message);
    }

    /** Returns true after a call of {@link #askForReady}, until READY arrives or {@link #resume} is called. */
    boolean isWaiting() {
        return watch == Watch.WAITING;
    }

    /** Returns true if READY has arrived since the last call. The consumer must then poll. */
    boolean takeReady() {
        boolean isReady = watch == Watch.READY;
        if (isReady) {
            setWatch(Watch.POLLING); // only this thread ends the state READY
        }
        return isReady;
    }

    /** Ends waiting, because the consumer can continue without READY. */
    void resume() {
        setWatch(Watch.POLLING);
    }

    private void setWatch(Watch next) {
        lock.lock();
        try {
            watch = next;
        } finally {
            lock.unlock();
        }
    }

    private void onReady() {
        lock.lock();
        try {
            if (watch == Watch.WAITING) { // otherwise, the consumer has already resumed
                watch = Watch.READY;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until READY has arrived, the connection has ended, or the given time in nanoseconds has passed.
     *
     * @throws TransportException if the connection has ended
     */
    void await(long timeNs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNs = timeNs;
            while (!hasEnded && watch != Watch.READY && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
            if (hasEnded) {
                throw lost();
            }
        } finally {
            lock.unlock();
        }
    }

    private TransportException lost() {
        return failure instanceof TransportException known
                ? known
                : new TransportException(
                        TransportException.Code.CLOSED,
                        "the connection to " + settings.host() + ":" + settings.port() + " has been closed");
    }

    @Override
    public void onCompleted(long context, long value) {
        lock.lock();
        try {
            completed++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onSpace() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void onEnded(Throwable cause) {
        lock.lock();
        try {
            failure = cause;
            hasEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the connection gracefully, and briefly waits for it to end. */
    void close() {
        connection.closeAndWait();
    }
}
