package io.rocketbufs.rocketlog.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The memory of a partition's log, into which a producer writes batches itself while it has the lease.
 *
 * <pre>
 *            ask, when nothing is under way             granted
 *   NONE ---------------------------------------&gt; ASKED ----------&gt; HELD
 *    ^  batches go through the private ring         |                | |
 *    +----------------------------------------------+                | +--- full: ask, when nothing is under way
 *    |                 refused                                       |
 *    +---------------------------------------------------------------+
 *                      taken back
 * </pre>
 *
 * <p>The ring can always be used, and a lease is only a faster way. So a producer that loses its lease, for whatever
 * reason, goes on with the ring. A batch that has been sent before goes through the ring too: the log may have it, and
 * only the ring can skip it.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Source:</i> KafkaDirect, section 4.2.2: an exclusive producer.
 */
final class SegmentTarget {
    private static final int NUMBER_MASK = 0xFFFF;

    /** What has happened to a batch. */
    enum Outcome {
        /** It has been posted. */
        SENT,
        /** It must be sent through the ring. */
        USE_RING,
        /** It must wait for an answer, for results, or for room. */
        WAIT
    }

    private enum State {
        NONE,
        ASKED,
        HELD
    }

    private final int partition;
    private final Access access;
    private State state = State.NONE;
    private long askAtNs = System.nanoTime();
    /** Identifies the memory in use; callbacks of former ones are ignored. */
    private Use use;

    private long position;
    private int number;

    /** What a target needs from its link. */
    interface Access {
        /** Asks the broker for the lease of a partition. */
        CompletableFuture<ByteBuffer> ask(int partition);

        /** Returns the connection. */
        Connection connection();

        /** Returns the delay before asking again, in milliseconds. */
        long delayMs();

        /** Called when a batch that had to wait may be sent; any thread, which may hold any lock. */
        void onChange();

        /** Called when the broker refuses the lease for good; any thread, which may be sending. */
        void onRefused(LogClientException cause);
    }

    SegmentTarget(int partition, Access access) {
        this.partition = partition;
        this.access = access;
    }

    /**
     * Sends a batch, if that is possible now.
     *
     * @param isUnderWay whether results of earlier batches of the partition are missing
     */
    synchronized Outcome send(ProducerBatch batch, boolean isUnderWay) {
        if (state == State.ASKED) {
            return Outcome.WAIT;
        }
        if (batch.wasSent) {
            if (state == State.HELD) {
                leave();
            }
            return Outcome.USE_RING;
        }
        if (state == State.HELD && batch.length <= use.memory.length() - position) {
            return write(batch);
        }
        if (state == State.NONE && System.nanoTime() - askAtNs < 0) {
            return Outcome.USE_RING;
        }
        if (!isUnderWay) {
            ask();
        }
        return Outcome.WAIT;
    }

    private Outcome write(ProducerBatch batch) {
        Posted posted = use.memory.write(batch.region, 0, batch.length, position, number);
        if (posted == Posted.NO_WINDOW) {
            return Outcome.WAIT;
        }
        if (posted == Posted.CLOSED) {
            leave();
            return Outcome.USE_RING;
        }
        position += batch.length;
        number = number + 1 & NUMBER_MASK;
        return Outcome.SENT;
    }

    private void leave() {
        state = State.NONE;
        use = null;
        askAtNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(access.delayMs());
    }

    private void ask() {
        state = State.ASKED;
        use = null;
        access.ask(partition).whenComplete(this::onAnswer);
    }

    private void onAnswer(ByteBuffer answer, Throwable failure) {
        Throwable cause = LogConnection.causeOf(failure);
        synchronized (this) {
            leave();
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

    /** Begins to use the memory. Returns why that is not possible, or null if it is. */
    private RuntimeException open(ByteBuffer answer) {
        Use next = new Use();
        try {
            next.memory = access.connection().remoteMemory(LogMessageLayout.acquiredGrant(answer), next);
        } catch (TransportException e) {
            return e; // taken back already, or the connection has ended
        } catch (IllegalArgumentException | IllegalStateException e) {
            return new LogClientException(
                    LogClientException.Code.REFUSED,
                    "partition " + partition + ": the broker has granted memory that cannot be used: " + Reason.of(e));
        }
        use = next;
        position = 0;
        number = 0;
        state = State.HELD;
        return null;
    }

    private void onRevoked(Use revoked) {
        synchronized (this) {
            if (use == revoked) {
                leave();
            }
        }
        access.onChange();
    }

    /** The use of one grant. */
    private final class Use implements RemoteMemoryCallback {
        private RemoteMemory memory;

        @Override
        public void onCompleted(long context, long value) {
            // Writes have no completions here: the broker's results stand for them.
        }

        @Override
        public void onSpace() {
            access.onChange();
        }

        @Override
        public void onRevoked() {
            SegmentTarget.this.onRevoked(this);
        }
    }
}
