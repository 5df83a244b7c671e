package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that producers write into the head of a log. They are appended in their order, each where it is. A
 * producer with an exclusive lease counts the orders itself; producers that share one get them from the order word.
 *
 * <pre>
 *   writers' workers -- written --&gt; order queue --&gt; one of them appends what is due --&gt; results of each writer
 *                                                           |
 *                     a batch is refused, an order is wrong or missing, a writer has found the segment full, the end
 *                                                           v
 *                                           nothing further is appended: LEASE_ENDED
 * </pre>
 *
 * <p>No worker waits: one that finds another appending leaves its batch to it. A worker that has appended many batches
 * for others hands over to the worker of the last one, and serves its own connections.
 *
 * <p><i>Thread-safety:</i> any thread. Allocates nothing for a batch.
 */
final class WrittenBatches {
    /** Result of {@link Log#check}: the batch can be appended. */
    static final long ACCEPTED = Long.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(WrittenBatches.class);
    /** The number of the broker, which copies batches, among the writers. */
    private static final int BROKER = NumberedWriters.MOST;
    /** Number of batches after which another worker takes over. */
    private static final int MOST_AT_ONCE = 64;

    private final Log log;
    private final boolean isShared;
    private final Events events;
    private final NumberedWriters writers = new NumberedWriters();
    private final OrderQueue queue = new OrderQueue();
    private final CopyPlace copy = new CopyPlace();
    private final MissingOrder missing;
    private final SerialWork work = new SerialWork(this::appendSafely);
    private final LongConsumer voidOne = this::voidOne;
    private volatile boolean isFull;
    /** Why nothing further may be appended; null if nothing is wrong. */
    private volatile String problem;

    /** When the last check was requested. */
    private volatile long checkNs;

    private volatile boolean isCheckNeeded;
    /** Runs once nothing further is appended; null until {@link #finish}. */
    private volatile Runnable onFinished;

    /** Number of batches since this thread appends. Only the appending thread uses it, and the next field. */
    private int countAtOnce;
    /** True when nothing further is appended. */
    private boolean isOver;

    /** The log, and the memory of its head. Only the appending thread uses it. */
    interface Log {
        /**
         * Appends the batch that has been written behind the last one.
         *
         * @param producerId that the batch must have, or {@link RecordBatchLayout#NO_PRODUCER} for any
         * @return a result as {@link AppendResult} describes it
         */
        long commit(int length, long producerId);

        /** Checks a batch before it is copied. Returns {@link #ACCEPTED}, or its result if it must not be appended. */
        long check(ByteBuffer batch);

        /** Appends a checked batch behind the last one; otherwise like {@link #commit}. */
        long append(ByteBuffer batch);

        /** Returns the number of batches that have been appended. */
        int count();

        /** Returns the offset of the next record. */
        long nextOffset();

        /** Returns the length of the memory. */
        long length();

        /** Returns the position in the memory after the last batch. */
        long end();

        /** Returns true if the longest batch has room behind the last one. */
        boolean hasRoom();
    }

    /** A producer, which also executes tasks on its worker. */
    interface Writer extends Executor {
        /** Returns the id of its batches, or {@link RecordBatchLayout#NO_PRODUCER} if they may have any. */
        long producerId();

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

        /** Called when the batches can no longer be appended in their order. */
        void onBroken(String reason);

        /** Called when a batch has arrived before its predecessor. */
        void onEarly();

        /** Called when the next batch may be copied. */
        void onCopied();
    }

    /** @param orderTimeoutMs minimum time for which a missing batch is waited for, in milliseconds */
    WrittenBatches(Log log, boolean isShared, long orderTimeoutMs, Events events) {
        this.log = log;
        this.isShared = isShared;
        this.missing = new MissingOrder(orderTimeoutMs);
        this.events = events;
    }

    /** Adds a writer, and returns its number; -1 if there are too many. */
    int add(Writer writer) {
        return writers.add(writer);
    }

    /** Removes a writer that writes nothing further, and has all its results. Its number may be used again. */
    void remove(int writer) {
        writers.remove(writer);
    }

    /** Returns true if a writer has found that the segment is full, so that {@link Events#onFull} will follow. */
    boolean isFull() {
        return isFull;
    }

    /**
     * Appends nothing further if a batch is missing, and the same one has been missing at the calls since the timeout.
     * One is missing if a later one has arrived, or its place has been reserved.
     *
     * @param nowNs in {@code System.nanoTime()}
     */
    void checkMissing(long nowNs) {
        checkNs = nowNs;
        isCheckNeeded = true;
        work.request();
        work.goOn();
    }

    /** Returns true if {@link #checkMissing} must be called again. */
    boolean isMissing() {
        return missing.isSuspected() || queue.isWaiting();
    }

    /**
     * Called when a writer has written a batch, or, with length 0 into a shared segment, has found that the segment is
     * full.
     *
     * @return false if the order cannot be its own; there is then no result, and nothing further is appended
     */
    boolean written(int writer, int order, long length) {
        if (isMark(length)) {
            isFull = true;
        }
        if (!queue.add(order, writer, length)) {
            breakOff("the order " + order + " has been used twice, or is far ahead");
            return false;
        }
        work.request();
        if (queue.isEarly(order)) {
            events.onEarly();
        }
        return true;
    }

    private boolean isMark(long length) {
        return isShared && length == 0;
    }

    /** Lets the broker copy batches of other producers into the segment; called before anything is written. */
    void copyWith(AtomicCell word) {
        copy.allow(word);
    }

    /** Returns true if the broker can reserve places for batches that it copies. */
    boolean mayCopy() {
        return copy.isAllowed();
    }

    /** Returns true if no batch is being copied. */
    boolean isCopyFree() {
        return copy.isFree();
    }

    /** Copies a batch into the segment when it is due. Returns false if another one is being copied. */
    boolean copy(Copied batch) {
        boolean isAdded = copy.offer(batch);
        if (isAdded) {
            work.request();
        }
        return isAdded;
    }

    /** Appends nothing further. */
    void breakOff(String reason) {
        problem = reason;
        work.request();
    }

    /**
     * Appends what is due, and nothing further. The writers no longer have access.
     *
     * @param then runs when this has been done, on any thread; must not throw
     */
    void finish(Runnable then) {
        onFinished = then;
        work.request();
        work.goOn(); // does not wait for a worker
    }

    /** Appends what is due. A failure must neither keep the turn nor end the connection of this worker. */
    private boolean appendSafely(boolean isFirst) {
        try {
            countAtOnce = isFirst ? 0 : countAtOnce;
            return appendUntilMissing();
        } catch (RuntimeException | Error e) {
            LOG.error("Appending what producers have written has failed", e);
            isOver = true;
            report("the broker has failed");
            work.again(); // once more, to void the rest
            return true;
        }
    }

    /** Returns false if another worker takes over. */
    private boolean appendUntilMissing() {
        begin();
        for (long entry = nextDue(); entry != OrderQueue.NONE; entry = nextDue()) {
            Writer writer = append(entry);
            countAtOnce++;
            boolean isEnough = countAtOnce >= MOST_AT_ONCE && writer != null && !isOver && onFinished == null;
            if (isEnough && work.handOver(writer)) {
                return false;
            }
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
        return true;
    }

    private void begin() {
        String broken = problem;
        if (broken != null) {
            end(broken);
        } else if (isCheckNeeded) {
            isCheckNeeded = false;
            check();
        }
        Copied batch = copy.batch();
        if (!isOver && batch != null && !copy.isReserved()) {
            reserve(batch);
        }
    }

    private void check() {
        boolean isPlaceEmpty = !isOver && copy.isAllowed() && queue.distance(copy.nextOrder()) != 0;
        long order = isPlaceEmpty || queue.isWaiting() ? queue.taken() : MissingOrder.NONE;
        if (missing.isLate(order, checkNs)) {
            end("a batch has not arrived in time");
        }
    }

    private long nextDue() {
        return isOver ? OrderQueue.NONE : queue.take();
    }

    /** Appends an entry. Returns the writer that has its result, or null. */
    private Writer append(long entry) {
        int length = OrderQueue.length(entry);
        if (queue.isMisplaced(entry)) {
            end("the order " + OrderQueue.order(entry) + " has been used twice");
            voidOne(entry);
        } else if (isMark(length)) {
            endFull();
        } else if (OrderQueue.writer(entry) == BROKER) {
            appendCopy(copy.batch());
        } else {
            Writer writer = writers.get(OrderQueue.writer(entry));
            long result = appendWritten(length, writer.producerId());
            writer.onResult(result, log.nextOffset());
            return writer;
        }
        return null;
    }

    private void endFull() {
        if (log.hasRoom()) {
            end("a producer says that the segment is full, and it is not; the order word may have been changed");
        } else {
            isOver = true;
            events.onFull();
        }
    }

    /** Reserves the place of a batch that is copied, after checking it, because a refused one would leave a gap. */
    private void reserve(Copied batch) {
        long refused = check(batch.batch());
        if (refused != ACCEPTED) {
            release(refused);
            return;
        }
        int length = batch.batch().remaining();
        copy.reserve(length);
        boolean fits = copy.position() + length <= log.length();
        if (!fits) {
            isFull = true;
        }
        if (!queue.add(copy.order(), BROKER, fits ? length : 0)) {
            end("the order " + copy.order() + " of the broker has been used by a producer");
        } else if (queue.isEarly(copy.order())) {
            events.onEarly();
        }
    }

    private void appendCopy(Copied batch) {
        if (copy.position() != log.end()) {
            end("a place has been reserved twice, or skipped; a producer has changed the order word");
            return;
        }
        int before = log.count();
        long result = append(batch.batch());
        if (log.count() == before) {
            end(refusal(result));
        } else {
            release(result);
        }
    }

    private void release(long result) {
        copy.take().onResult(result);
        events.onCopied();
    }

    private long appendWritten(int length, long producerId) {
        int before = log.count();
        long result = commit(length, producerId);
        if (log.count() != before) {
            return result;
        }
        end(refusal(result)); // the next batch would leave a gap
        return isShared ? AppendResult.LEASE_ENDED : result;
    }

    private static String refusal(long result) {
        return "a batch was refused: "
                + (result < 0 ? AppendResult.reason(result) : "the log has the batch already, at offset=" + result);
    }

    // What a batch causes must reach its producer, and not the one whose thread this is.

    private long check(ByteBuffer batch) {
        try {
            return log.check(batch);
        } catch (RuntimeException | Error e) {
            LOG.error("Checking a batch has failed", e);
            return AppendResult.FAILED;
        }
    }

    private long append(ByteBuffer batch) {
        try {
            return log.append(batch);
        } catch (RuntimeException | Error e) {
            return AppendResult.FAILED; // the log has kept and logged the cause, and accepts nothing further
        }
    }

    private long commit(int length, long producerId) {
        try {
            return log.commit(length, producerId);
        } catch (RuntimeException | Error e) {
            return AppendResult.FAILED; // as above
        }
    }

    private void end(String reason) {
        if (!isOver) {
            isOver = true;
            report(reason);
        }
    }

    private void report(String reason) {
        try {
            events.onBroken(reason);
        } catch (RuntimeException | Error e) { // the batch that is the reason has no result yet
            LOG.error("Ending a lease has failed: {}", reason, e);
        }
    }

    private void voidAll() {
        queue.drain(voidOne);
        Copied batch = copy.take();
        if (batch != null) {
            batch.onReturned();
        }
    }

    private void voidOne(long entry) {
        if (!isMark(OrderQueue.length(entry)) && OrderQueue.writer(entry) != BROKER) {
            writers.get(OrderQueue.writer(entry)).onResult(AppendResult.LEASE_ENDED, 0);
        }
    }
}
