package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * The batches that producers write into the head of a log. They are appended in their order, each where it is. A
 * producer with an exclusive lease counts the orders itself; producers that share one get them from the order word.
 *
 * <pre>
 *   writers' workers --- written ---&gt; order queue ---&gt; one of them appends what is due ---&gt; results of each writer
 *                                                           |
 *                     a batch is refused, an order is wrong or missing, a writer has found the segment full, the end
 *                                                           v
 *                                           nothing further is appended: LEASE_ENDED
 * </pre>
 *
 * <p>No worker waits: one that finds another appending leaves its batch to it.
 *
 * <p><i>Thread-safety:</i> any thread. Allocates nothing for a batch.
 */
final class WrittenBatches {
    /** Result of {@link Log#check}: the batch can be appended. */
    static final long ACCEPTED = Long.MIN_VALUE;

    /** Number of writers that may be added, so that each of them can have some orders. */
    private static final int MOST_WRITERS = 1024;

    /** The number of the broker, which copies batches, among the writers. */
    private static final int BROKER = MOST_WRITERS;

    private static final Writer[] NOBODY = {};

    private final Log log;
    private final boolean isShared;
    private final Events events;
    private final OrderQueue queue = new OrderQueue();
    /** Number of requests to append what is due; the thread that makes it positive appends. */
    private final AtomicInteger requests = new AtomicInteger();
    /** By number; replaced under this object's lock. */
    private volatile Writer[] writers = NOBODY;

    private volatile boolean isFull;
    /** The batch that is being copied; null if there is none. */
    private final AtomicReference<Copied> copied = new AtomicReference<>();

    private final LongConsumer onReserved = before -> reserved = before;
    /** The broker's access to the order word; null if it has none. */
    private AtomicCell orders;
    /** Why nothing further may be appended; null if nothing is wrong. */
    private volatile String problem;

    private volatile boolean isCheckNeeded;
    /** The number of orders that had been taken when one was missing; -1 if none was. */
    private volatile long suspect = -1;
    /** Runs once nothing further is appended; null until {@link #finish}. */
    private volatile Runnable onFinished;

    /** True if the batch that is being copied has an order. Only the appending thread uses it, and the next fields. */
    private boolean isReserved;
    /** The order word before the reservation. */
    private long reserved;
    /** True when nothing further is appended. Only the appending thread uses it. */
    private boolean isOver;

    /** The log, and the memory of its head. Only the appending thread uses it. */
    interface Log {
        /**
         * Appends the batch that has been written behind the last one.
         *
         * @return a result as {@link AppendResult} describes it
         */
        long commit(int length);

        /** Checks a batch before it is copied. Returns {@link #ACCEPTED}, or its result if it must not be appended. */
        long check(ByteBuffer batch);

        /** Appends a checked batch; otherwise like {@link #commit}. */
        long append(ByteBuffer batch);

        /** Returns the number of batches that have been appended. */
        int count();

        /** Returns the offset of the next record. */
        long nextOffset();

        /** Returns the length of the memory. */
        long length();
    }

    /** A producer. */
    interface Writer {
        /**
         * Called with the results of its batches, in their order, by one thread at a time; must not throw.
         *
         * @param nextOffset the offset after the batch, if it has been appended
         */
        void onResult(long result, long nextOffset);
    }

    /** A batch in the buffer of a producer, which waits until it is due, and is then copied. */
    interface Copied {
        /** Returns the batch, which no peer can write to. */
        ByteBuffer batch();

        /** Called once with the result; must not throw. */
        void onResult(long result);

        /** Called instead of {@link #onResult} if nothing further is appended; the batch must be appended otherwise. */
        void onReturned();
    }

    /** The receiver of events; any thread, which may be appending. */
    interface Events {
        /** Called once when a writer has found that its batch does not fit into the segment. */
        void onFull();

        /** Called once when the batches can no longer be appended in their order. */
        void onBroken(String reason);

        /** Called when a batch has arrived before its predecessor. */
        void onEarly();

        /** Called when the next batch may be copied. */
        void onCopied();
    }

    WrittenBatches(Log log, boolean isShared, Events events) {
        this.log = log;
        this.isShared = isShared;
        this.events = events;
    }

    /** Adds a writer, and returns its number; -1 if there are too many. */
    synchronized int add(Writer writer) {
        Writer[] present = writers;
        if (present.length == MOST_WRITERS) {
            return -1;
        }
        Writer[] more = Arrays.copyOf(present, present.length + 1);
        more[present.length] = writer;
        writers = more;
        return present.length;
    }

    /** Returns true if a writer has found that the segment is full, so that {@link Events#onFull} will follow. */
    boolean isFull() {
        return isFull;
    }

    /**
     * Appends nothing further if a batch is missing, and the same one was missing at the last call. One is missing if a
     * later one has arrived, or its place has been reserved.
     */
    void checkMissing() {
        isCheckNeeded = true;
        appendDue();
    }

    /** Returns true if {@link #checkMissing} must be called again. */
    boolean isMissing() {
        return suspect >= 0 || queue.isWaiting();
    }

    /**
     * Called when a writer has written a batch, or, with length 0 into a shared segment, has found that the segment is
     * full.
     *
     * @return false if the order cannot be its own; there is then no result, and nothing further is appended
     */
    boolean written(int writer, int order, long length) {
        boolean isEarly = queue.distance(order) != 0;
        if (isMark(length)) {
            isFull = true;
        }
        if (!queue.add(order, writer, length)) {
            breakOff("the order " + order + " has been used twice, or is far ahead");
            return false;
        }
        appendDue();
        if (isEarly) {
            events.onEarly();
        }
        return true;
    }

    private boolean isMark(long length) {
        return isShared && length == 0;
    }

    /** Lets the broker copy batches of other producers into the segment; called before anything is written. */
    void copyWith(AtomicCell word) {
        orders = word;
    }

    /** Returns true if the broker can reserve places for batches that it copies. */
    boolean mayCopy() {
        return orders != null;
    }

    /** Returns true if no batch is being copied. */
    boolean isCopyFree() {
        return copied.get() == null;
    }

    /** Copies a batch into the segment when it is due. Returns false if another one is being copied. */
    boolean copy(Copied batch) {
        boolean isAdded = orders != null && copied.compareAndSet(null, batch);
        if (isAdded) {
            appendDue();
        }
        return isAdded;
    }

    /** Appends nothing further. */
    void breakOff(String reason) {
        problem = reason;
        appendDue();
    }

    /**
     * Appends what is due, and nothing further. The writers no longer have access.
     *
     * @param then runs when this has been done, on any thread; must not throw
     */
    void finish(Runnable then) {
        onFinished = then;
        appendDue();
    }

    private void appendDue() {
        if (requests.getAndIncrement() != 0) {
            return; // the appending thread does it
        }
        int seen = 1;
        while (seen != 0) {
            appendUntilMissing();
            seen = requests.addAndGet(-seen);
        }
    }

    private void appendUntilMissing() {
        String broken = problem;
        if (broken != null) {
            end(broken);
        } else if (isCheckNeeded) {
            isCheckNeeded = false;
            check();
        }
        if (!isOver && !isReserved && copied.get() != null) {
            reserve(copied.get());
        }
        for (long entry = nextDue(); entry != OrderQueue.NONE; entry = nextDue()) {
            append(entry);
        }
        Runnable then = onFinished;
        if (isOver || then != null) {
            isOver = true;
            voidAll();
        }
        if (then != null) {
            onFinished = null;
            then.run();
        }
    }

    private void check() {
        boolean isPlaceEmpty = !isOver && orders != null && queue.distance(OrderWordLayout.order(orders.value())) != 0;
        long missing = isPlaceEmpty || queue.isWaiting() ? queue.taken() : -1;
        if (missing >= 0 && missing == suspect) {
            end("a batch has not arrived in time");
        }
        suspect = missing;
    }

    private long nextDue() {
        return isOver ? OrderQueue.NONE : queue.take();
    }

    private void append(long entry) {
        int length = OrderQueue.length(entry);
        if (queue.isMisplaced(entry)) {
            end("the order " + OrderQueue.order(entry) + " has been used twice");
            voidOne(entry);
        } else if (isMark(length)) {
            isOver = true;
            events.onFull();
        } else if (OrderQueue.writer(entry) == BROKER) {
            appendCopy(copied.get());
        } else {
            long result = appendWritten(length);
            writers[OrderQueue.writer(entry)].onResult(result, log.nextOffset());
        }
    }

    /** Reserves the place of a batch that is copied, after checking it, because a refused one would leave a gap. */
    private void reserve(Copied batch) {
        long refused = log.check(batch.batch());
        if (refused != ACCEPTED) {
            release(batch, refused);
            return;
        }
        int length = batch.batch().remaining();
        isReserved = true;
        orders.fetchAdd(OrderWordLayout.reservation(length), onReserved);
        int order = OrderWordLayout.order(reserved);
        isFull |= OrderWordLayout.position(reserved) + length > log.length();
        boolean isEarly = queue.distance(order) != 0;
        if (!queue.add(order, BROKER, isFull ? 0 : length)) {
            end("the order " + order + " of the broker has been used by a producer");
        } else if (isEarly) {
            events.onEarly();
        }
    }

    private void appendCopy(Copied batch) {
        int before = log.count();
        long result = append(batch.batch());
        if (log.count() == before) {
            end("a batch that the broker had checked was refused: " + AppendResult.reason(result));
        } else {
            release(batch, result);
        }
    }

    private long append(ByteBuffer batch) {
        try {
            return log.append(batch);
        } catch (RuntimeException | Error e) { // as in commit
            return AppendResult.FAILED;
        }
    }

    private void release(Copied batch, long result) {
        isReserved = false;
        copied.set(null);
        batch.onResult(result);
        events.onCopied();
    }

    private long appendWritten(int length) {
        int before = log.count();
        long result = commit(length);
        if (log.count() != before) {
            return result;
        }
        // Refused, or a duplicate, which is not appended either: the next batch would leave a gap.
        end("a batch was refused: " + (result < 0 ? AppendResult.reason(result) : "the log has it already"));
        return isShared ? AppendResult.LEASE_ENDED : result;
    }

    private long commit(int length) {
        try {
            return log.commit(length);
        } catch (RuntimeException | Error e) { // must reach the producer, and not the one whose thread this is
            return AppendResult.FAILED; // the log has kept and logged the cause, and accepts nothing further
        }
    }

    private void end(String reason) {
        if (!isOver) {
            isOver = true;
            events.onBroken(reason);
        }
    }

    private void voidAll() {
        for (long entry = queue.takeAny(); entry != OrderQueue.NONE; entry = queue.takeAny()) {
            voidOne(entry);
        }
        Copied batch = copied.getAndSet(null);
        if (batch != null) {
            batch.onReturned();
        }
    }

    private void voidOne(long entry) {
        if (!isMark(OrderQueue.length(entry)) && OrderQueue.writer(entry) != BROKER) {
            writers[OrderQueue.writer(entry)].onResult(AppendResult.LEASE_ENDED, 0);
        }
    }
}
