package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.log.SegmentLoan;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketlog.protocol.RefusedRequest;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One producer's share of a lease: the producer's access to the memory, and the results that the producer has not
 * received yet. The appending thread adds the results; the producer's worker delivers them.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise. <i>Ownership:</i> uses
 * the memory until {@link #accessEnd} completes.
 */
final class LeaseHolder implements WrittenBatches.Writer {
    /**
     * Maximum number of batches in flight (written but without a result) for one producer in a shared partition; a
     * power of two. RocketBufs' own producer never exceeds {@link AppendResult#MOST_IN_FLIGHT_SHARED}.
     */
    private static final int MOST_SHARED = 64;

    private static final int ORDER_MASK = OrderWordLayout.ORDERS - 1;

    private final Owner owner;
    private final String partition;
    private final LeaseRequest request;
    private final AtomicBoolean isSignalled = new AtomicBoolean();
    private final Runnable deliver = this::deliver;
    /** The results that have been added but not delivered. The length of the array is a power of two. */
    private final long[] results;

    private final long[] nextOffsets;
    /** Number of results added so far; written by the appending thread. */
    private volatile long found;

    private long delivered;
    /** Number of batches that the producer has written so far. */
    private long written;
    /**
     * Number of written batches that were added to {@link #batches}. After the first failure, no further batches are
     * added.
     */
    private long added;

    private boolean isAdding;

    /** Set by the thread that opens the memory, before the producer can write. */
    private WrittenBatches batches;

    private boolean isShared;
    private int writer;
    /** True once the writer has been removed, so that its number may belong to another producer. */
    private boolean isRemoved;
    /** True once the producer's share of the lease has ended. */
    private boolean hasEnded;
    /**
     * Why the producer is refused access; null if access is not refused. Set before the producer's share of the lease
     * ends.
     */
    private ByteBuffer refusal;

    private volatile Grant grant;
    private volatile Grant word;
    private volatile long revokeTimeoutMs = -1;

    /** Runs after the end of the producer's share of the lease; null if nothing waits for that end. */
    private Runnable then;

    /**
     * The producer. Methods without a return value are called on the connection's worker, all other methods on any
     * thread.
     */
    interface Owner {
        Connection connection();

        /** Returns the name of the producer's client. */
        String client();

        /** Sends the response to a request. */
        void answer(ByteBuffer message);

        /** Called with the result of the next batch that the producer has written into a partition. */
        void onResult(int number, long result, long nextOffset);

        /** Called after a series of {@link #onResult} calls, when no further results are available. */
        void report();

        /** Called when the producer's share of a lease has ended. */
        void remove(LeaseHolder ended);
    }

    /**
     * Creates a share of a lease that does not have access to the memory yet.
     *
     * @param partition name of the partition
     * @param request the producer's request
     */
    LeaseHolder(Owner owner, String partition, LeaseRequest request) {
        this.owner = owner;
        this.partition = partition;
        this.request = request;
        int most = request.mode() == LeaseMode.SHARED ? MOST_SHARED : AppendResult.MOST_IN_FLIGHT;
        this.results = new long[most];
        this.nextOffsets = new long[most];
    }

    /** Returns the number of the partition. */
    int number() {
        return request.partition();
    }

    Connection connection() {
        return owner.connection();
    }

    String client() {
        return owner.client();
    }

    /** Runs a task on the connection's worker. Called by any thread. */
    @Override
    public void execute(Runnable task) {
        connection().execute(task);
    }

    /**
     * Returns the producer id that the batches must contain. An exclusive producer may use any id, because no other
     * producer can write at the same time.
     */
    @Override
    public long producerId() {
        return request.mode() == LeaseMode.SHARED ? request.producerId() : RecordBatchLayout.NO_PRODUCER;
    }

    // The following methods are called on the thread that waits for the disk.

    /**
     * Gives the producer access to the memory, without notifying the producer yet. If this fails, the caller must call
     * {@link #revoke}, because some access may already have been given.
     *
     * @param orders the memory of the order word; null if the lease is exclusive
     * @throws TransportException if the device cannot provide the access
     * @throws UnsupportedOperationException if the connection does not support grants with the required rights
     */
    void open(SegmentLoan loan, WrittenBatches into, int asWriter, MappedFile orders) {
        batches = into;
        writer = asWriter;
        isShared = orders != null;
        grant = connection().grant(loan.region(), loan.begin(), loan.length(), Right.ONLY_WRITE, this::onWritten);
        if (isShared) {
            word = connection()
                    .grant(orders.region(), 0, OrderWordLayout.LENGTH, Set.of(Right.ATOMIC), GrantCallback.NONE);
        }
        if (revokeTimeoutMs >= 0) {
            revoke(revokeTimeoutMs); // revoke was called in the meantime
        }
    }

    /** Returns a future that completes when the producer can no longer reach the memory. */
    CompletableFuture<Void> accessEnd() {
        CompletableFuture<?> memoryEnd = grant == null ? CompletableFuture.completedFuture(null) : grant.end();
        CompletableFuture<?> wordEnd = word == null ? CompletableFuture.completedFuture(null) : word.end();
        return CompletableFuture.allOf(memoryEnd, wordEnd);
    }

    // The following methods are called by any thread.

    /** Revokes the producer's access. If called before {@link #open}, takes effect as soon as access has been given. */
    void revoke(long timeoutMs) {
        revokeTimeoutMs = timeoutMs;
        for (Grant each : new Grant[] {grant, word}) {
            if (each != null) {
                each.revoke(timeoutMs);
            }
        }
    }

    /**
     * Refuses the request. The producer receives the response only after its share of the lease has ended, so that it
     * can immediately send another request.
     */
    void refuse(LogRefusal kind, String reason, String remedy) {
        refusal = LogMessageLayout.refused(
                request.correlation(), new RefusedRequest(kind, partition + ": " + reason, remedy));
    }

    @Override
    public void onResult(long result, long nextOffset) {
        long next = found;
        int index = index(next);
        results[index] = result;
        nextOffsets[index] = nextOffset;
        found = next + 1;
        boolean isDelivering = connection().isWorkerThread() && isAdding;
        if (!isDelivering && !isSignalled.getAndSet(true)) {
            execute(deliver);
        }
    }

    /** Called when the lease, or this share of it, has ended. */
    void ended() {
        execute(() -> {
            hasEnded = true;
            removeIfDone();
            owner.remove(this);
            if (refusal != null) {
                owner.answer(refusal);
            }
            if (then != null) {
                then.run();
            }
        });
    }

    /** Frees the writer's number if this share of the lease has ended and all results have been delivered. */
    private void removeIfDone() {
        if (hasEnded && batches != null && delivered == written && !isRemoved) {
            isRemoved = true;
            batches.remove(writer);
        }
    }

    // The following methods are called on the worker.

    /** Sends the producer the description of the memory, so that it can start writing. */
    void begin() {
        owner.answer(LeaseMessageLayout.acquired(
                request.correlation(), grant.description(), isShared ? word.description() : null));
    }

    /** Runs a task on the worker after the end of this share of the lease. */
    void afterEnd(Runnable task) {
        if (then != null) {
            throw violation("requests a second lease before the first request is complete");
        }
        then = task;
    }

    private void onWritten(int order, long length) {
        if (!isShared && order != (written & ORDER_MASK)) {
            throw violation("wrote number=" + order + " instead of " + (written & ORDER_MASK));
        }
        boolean hasResult = !isShared || length > 0;
        if (hasResult && written - delivered == results.length) {
            throw violation("wrote " + results.length + " batches without waiting for their results");
        }
        isAdding = true;
        try {
            boolean isAdded = added == written && batches.written(writer, order, length);
            added += hasResult && isAdded ? 1 : 0;
            written += hasResult ? 1 : 0;
        } finally {
            isAdding = false;
        }
        deliver();
    }

    private void deliver() {
        isSignalled.set(false); // before the results are read
        long before = delivered;
        long end = found;
        for (; delivered < end; delivered++) {
            int index = index(delivered);
            owner.onResult(number(), results[index], nextOffsets[index]);
        }
        if (delivered >= added) {
            for (; delivered < written; delivered++) {
                owner.onResult(number(), AppendResult.LEASE_ENDED, 0);
            }
        }
        if (delivered != before) {
            owner.report();
        }
        removeIfDone();
    }

    private int index(long number) {
        return (int) (number & results.length - 1);
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, partition + ": the producer " + what);
    }
}
