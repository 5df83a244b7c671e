package io.rocketbufs.rocketlog.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The memory of a partition's log as the target of a producer, which writes batches directly into this memory while it
 * has a lease.
 *
 * <pre>
 *            ask, when nothing is in flight             granted
 *   NONE ---------------------------------------&gt; ASKED ----------&gt; HELD
 *    ^  batches go through the private ring         |                |
 *    +----------------------------------------------+                |
 *    |                 refused                                       |
 *    +---------------------------------------------------------------+
 *                      revoked, or full
 * </pre>
 *
 * <p>The ring (the private buffer) can always be used; a lease is merely faster. A producer that loses its lease
 * therefore continues with the ring. Resent batches also go through the ring, because the log may already contain them,
 * and only batches from the ring can be skipped. All batches in flight take the same path, so that they stay in order.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Source:</i> KafkaDirect, section 4.2.2: exclusive and shared producers.
 */
final class SegmentTarget {
    /** The outcome of sending a batch. */
    enum Outcome {
        /** The batch has been posted. */
        SENT,
        /** The batch must be sent through the ring. */
        USE_RING,
        /** The batch must wait for the response to a request, for results of earlier batches, or for room. */
        WAIT
    }

    private enum State {
        NONE,
        ASKED,
        HELD
    }

    private final String topic;
    private final int partition;
    private final Access access;
    private State state = State.NONE;
    private long askAtNs = System.nanoTime();
    /** The current use of memory; null if there is none. Callbacks of earlier uses are ignored. */
    private Use use;
    /** True if the batches in flight have been written directly. */
    private boolean isDirect;
    /** How many of the last batches sent were not written, and must be resent. */
    private int unwritten;

    /** The part of a {@link ProducerLink} that a target uses. */
    interface Access {
        /** Requests a lease on a partition from the broker. */
        CompletableFuture<ByteBuffer> ask(int partition);

        /** Returns the connection. */
        Connection connection();

        /** Runs a task on the connection's worker. */
        void execute(Runnable task);

        /** Returns true if the broker has refused the mode, so that all batches must go through the ring. */
        boolean isPrivate();

        /** Returns the delay, in milliseconds, before requesting a lease again after one was refused or revoked. */
        long delayMs();

        /** Called when a batch that had to wait may be sent. Called by any thread, which may hold any lock. */
        void onChange();

        /** Called in the same way as {@link #onChange}, when batches with the outcome SENT must be resent. */
        void onUnwritten();

        /** Called when the broker permanently refuses the lease. Called by any thread, which may be sending. */
        void onRefused(LogClientException cause);
    }

    SegmentTarget(String topic, int partition, Access access) {
        this.topic = topic;
        this.partition = partition;
        this.access = access;
    }

    /**
     * Sends a batch, if this is possible now.
     *
     * @param isUnderWay true if earlier batches of the partition are in flight
     */
    synchronized Outcome send(ProducerBatch batch, boolean isUnderWay) {
        if (state == State.ASKED || unwritten > 0) {
            return Outcome.WAIT;
        }
        boolean isRingNeeded = batch.wasSent || access.isPrivate();
        Outcome outcome = state == State.NONE || isRingNeeded
                ? choose(isRingNeeded, isUnderWay)
                : isDirect || !isUnderWay ? write(batch, isUnderWay) : Outcome.WAIT;
        if (outcome != Outcome.WAIT) {
            isDirect = outcome == Outcome.SENT;
        }
        return outcome;
    }

    /**
     * Chooses what to do with a batch that cannot be written directly now. Requests a lease, or returns USE_RING;
     * returns WAIT if the batch must wait for either.
     */
    private Outcome choose(boolean isRingNeeded, boolean isUnderWay) {
        if (isRingNeeded || System.nanoTime() - askAtNs < 0) {
            return isDirect && isUnderWay ? Outcome.WAIT : Outcome.USE_RING;
        }
        if (!isUnderWay) {
            state = State.ASKED;
            // Asynchronously, because the future may already be complete.
            access.ask(partition).whenCompleteAsync(this::onAnswer, access::execute);
        }
        return Outcome.WAIT;
    }

    private Outcome write(ProducerBatch batch, boolean isUnderWay) {
        DirectSegment.Outcome outcome = use.segment.send(batch);
        if (outcome == DirectSegment.Outcome.SENT) {
            use.onSent();
            return Outcome.SENT;
        }
        if (outcome == DirectSegment.Outcome.WAIT) {
            return Outcome.WAIT;
        }
        leave(outcome == DirectSegment.Outcome.LOST && !use.isShared());
        return unwritten > 0 ? Outcome.WAIT : choose(false, isUnderWay);
    }

    /**
     * Stops using the memory.
     *
     * @param isDelayed true to delay the request for the next lease. False if a shared segment was lost, because that
     *     segment may be full and the next segment available. If the segment was lost for another reason, the broker
     *     refuses the request
     */
    private void leave(boolean isDelayed) {
        state = State.NONE;
        askAtNs = System.nanoTime() + (isDelayed ? TimeUnit.MILLISECONDS.toNanos(access.delayMs()) : 0);
        if (use != null) {
            unwritten = use.segment.unwrittenCount();
            use = null;
        }
        if (unwritten > 0) {
            access.onUnwritten();
        }
    }

    /** Returns how many of the last batches sent were not written, and must be resent. Resets this number. */
    synchronized int takeUnwritten() {
        int count = unwritten;
        unwritten = 0;
        return count;
    }

    private void onAnswer(ByteBuffer answer, Throwable failure) {
        Throwable cause = LogConnection.causeOf(failure);
        synchronized (this) {
            leave(true);
            if (failure == null) {
                cause = open(answer);
            }
        }
        if (cause instanceof LogClientException refused && refused.code() != LogClientException.Code.NOT_NOW) {
            access.onRefused(refused);
        } else {
            access.onChange();
        }
    }

    /** Starts using the memory that a response describes. Returns null on success, otherwise the failure. */
    private RuntimeException open(ByteBuffer answer) {
        boolean isShared = false;
        try {
            ByteBuffer word = LeaseMessageLayout.acquiredWord(answer);
            isShared = word != null;
            use = new Use(LeaseMessageLayout.acquiredGrant(answer), word);
            state = State.HELD;
            return null;
        } catch (TransportException e) {
            leave(!isShared);
            return e.code() == TransportException.Code.PROTOCOL
                    ? unusable(LogClientException.Code.REFUSED, e)
                    : e; // already revoked, or the connection has ended
        } catch (UnsupportedOperationException e) {
            return unusable(LogClientException.Code.MODE_UNAVAILABLE, e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            return unusable(LogClientException.Code.REFUSED, e);
        }
    }

    private LogClientException unusable(LogClientException.Code code, RuntimeException cause) {
        return new LogClientException(
                code,
                "topic " + topic + ", partition " + partition + ": the broker granted memory that cannot be used: "
                        + Reason.of(cause) + "; use the same release on both sides, or the mode private");
    }

    /** The use of one lease, which covers the memory and, if other producers share it, the order word. */
    private final class Use implements RemoteMemoryCallback {
        private final DirectSegment segment;
        /** The same object as {@link #segment} if the lease is shared; otherwise null. */
        private final SharedSegment shared;

        private Use(ByteBuffer grant, ByteBuffer wordGrant) {
            RemoteMemory memory = open(grant, Right.WRITE);
            shared = wordGrant == null ? null : new SharedSegment(memory, word(wordGrant));
            segment = shared == null ? new DirectSegment.Exclusive(memory) : shared;
        }

        private RemoteMemory open(ByteBuffer grant, Right needed) {
            RemoteMemory memory = access.connection().remoteMemory(grant, this);
            if (!memory.rights().contains(needed)) {
                throw new IllegalArgumentException("rights=" + memory.rights() + ", but " + needed + " is required");
            }
            return memory;
        }

        private RemoteMemory word(ByteBuffer grant) {
            RemoteMemory word = open(grant, Right.ATOMIC);
            if (word.length() < OrderWordLayout.LENGTH) {
                throw new IllegalArgumentException("length=" + word.length() + " of the order word");
            }
            if (!word.offers(Capabilities.Operation.FETCH_ADD)) {
                throw new UnsupportedOperationException("the transport does not offer FETCH_ADD");
            }
            return word;
        }

        private boolean isShared() {
            return shared != null;
        }

        @Override
        public void onCompleted(long context, long value) {
            synchronized (SegmentTarget.this) {
                if (use == this) {
                    onWritten(shared.onReserved(value));
                }
            }
        }

        /** Called after a batch was sent. In a shared segment, the place of the batch may already be known. */
        private void onSent() {
            if (isShared()) {
                onWritten(shared.write());
            }
        }

        /** Handles the outcome of writing the batches whose places are known. */
        private void onWritten(DirectSegment.Outcome outcome) {
            if (outcome == DirectSegment.Outcome.FULL || outcome == DirectSegment.Outcome.LOST) {
                leave(false);
            }
        }

        @Override
        public void onSpace() {
            synchronized (SegmentTarget.this) {
                if (use == this && isShared()) {
                    onWritten(shared.write());
                }
            }
            access.onChange();
        }

        @Override
        public void onRevoked() {
            synchronized (SegmentTarget.this) {
                if (use == this) {
                    leave(!isShared());
                }
            }
            access.onChange();
        }
    }
}
