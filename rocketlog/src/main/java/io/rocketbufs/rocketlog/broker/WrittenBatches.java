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
 * The batches that producers write directly into the head of a log. The broker appends these batches in order, each in
 * place. A producer with an exclusive lease numbers its batches itself; producers that share a lease obtain the numbers
 * from the order word.
 *
 * <pre>
 *   writers' workers -- written --&gt; order queue --&gt; one of them appends what is due --&gt; results of each writer
 *                                                           |
 *                     a batch is refused, an order is wrong or missing, a writer has found the segment full, the end
 *                                                           v
 *                                           nothing further is appended: LEASE_ENDED
 * </pre>
 *
 * <p>No worker waits. If another worker is already appending, that worker also appends the new batch. A worker that has
 * appended many batches for other producers hands the work over to the worker of the last batch, and returns to its own
 * connections.
 *
 * <p><i>Thread-safety:</i> any thread. Allocates no memory per batch.
 */
final class WrittenBatches {
    /** Result of {@link Log#check}: the batch can be appended. */
    static final long ACCEPTED = Long.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(WrittenBatches.class);
    /** The writer number of the broker, for batches that it copies. */
    private static final int BROKER = NumberedWriters.MOST;
    /** Number of batches after which a worker hands the work over to another worker. */
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
    /** Why no further batches may be appended; null if they may. */
    private volatile String problem;

    /** When the last check was requested, as {@code System.nanoTime()}. */
    private volatile long checkNs;

    private volatile boolean isCheckNeeded;
    /** Runs once no further batches will be appended; null until {@link #finish} is called. */
    private volatile Runnable onFinished;

    /**
     * Number of batches that the appending thread has appended since it took over the work. Only the appending thread
     * uses this field and the next field.
     */
    private int countAtOnce;
    /** True once no further batches will be appended. */
    private boolean isOver;

    /** The log, and the memory of its head. Used only by the appending thread. */
    interface Log {
        /**
         * Appends the batch that a producer has written after the last appended batch.
         *
         * @param producerId producer id that the batch must contain, or {@link RecordBatchLayout#NO_PRODUCER} to allow
         *     any id
         * @return a result, see {@link AppendResult}
         */
        long commit(int length, long producerId);

        /**
         * Checks a batch before it is copied. Returns {@link #ACCEPTED}, or the batch's result if it must not be
         * appended.
         */
        long check(ByteBuffer batch);

        /**
         * Copies a checked batch into the memory after the last batch, and appends it. Returns a result like
         * {@link #commit}.
         */
        long append(ByteBuffer batch);

        /** Returns the number of batches that have been appended. */
        int count();

        /** Returns the offset of the next record. */
        long nextOffset();

        /** Returns the length of the memory, in bytes. */
        long length();

        /** Returns the position in the memory at which the last batch ends. */
        long end();

        /** Returns true if, after the last batch, the memory has room for a batch of maximum length. */
        boolean hasRoom();
    }

    /** A producer, which also executes tasks on its worker. */
    interface Writer extends Executor {
        /**
         * Returns the producer id that the batches must contain, or {@link RecordBatchLayout#NO_PRODUCER} if any id is
         * allowed.
         */
        long producerId();

        /**
         * Called with the result of each batch of this writer, in order, by one thread at a time. Must not throw.
         *
         * @param nextOffset the offset after the batch's last record, if the batch was appended
         */
        void onResult(long result, long nextOffset);
    }

    /** A batch that is copied from a producer's buffer when the batch's place in the order is reached. */
    interface Copied {
        /** Returns the batch. No peer can write to it. */
        ByteBuffer batch();

        /** Called once with the result. Must not throw. */
        void onResult(long result);

        /**
         * Called instead of {@link #onResult} if appending has stopped. The batch must then be appended in another way.
         */
        void onReturned();
    }

    /** The receiver of events. Called by any thread, including the appending thread. */
    interface Events {
        /** Called once when a writer has found the segment full and all earlier batches have been appended. */
        void onFull();

        /** Called when the batches can no longer be appended in order. */
        void onBroken(String reason);

        /** Called when a batch has arrived before its predecessor. */
        void onEarly();

        /** Called when the broker can copy another batch. */
        void onCopied();
    }

    /** @param orderTimeoutMs minimum time to wait for a missing batch, in milliseconds */
    WrittenBatches(Log log, boolean isShared, long orderTimeoutMs, Events events) {
        this.log = log;
        this.isShared = isShared;
        this.missing = new MissingOrder(orderTimeoutMs);
        this.events = events;
    }

    /** Adds a writer, and returns its number, or -1 if there are too many writers. */
    int add(Writer writer) {
        return writers.add(writer);
    }

    /**
     * Removes a writer that has finished writing and has received all its results. The writer's number may then be
     * reused.
     */
    void remove(int writer) {
        writers.remove(writer);
    }

    /** Returns true if a writer has found the segment full. {@link Events#onFull} then follows. */
    boolean isFull() {
        return isFull;
    }

    /**
     * Stops appending if consecutive calls have found the same batch missing for at least the timeout. A batch is
     * missing if it has not arrived although a later batch has, or although its place was reserved.
     *
     * @param nowNs current {@code System.nanoTime()}
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
     * Called when a writer has written a batch. In a shared segment, length 0 means that the writer has found the
     * segment full.
     *
     * @return false if the order cannot belong to the writer; the batch then receives no result, and appending stops
     */
    boolean written(int writer, int order, long length) {
        if (isMark(length)) {
            isFull = true;
        }
        if (!queue.add(order, writer, length)) {
            breakOff("order=" + order + " was used twice, or is too far ahead");
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

    /**
     * Allows the broker to copy batches of other producers into the segment. Called before the first batch is written.
     */
    void copyWith(AtomicCell word) {
        copy.allow(word);
    }

    /** Returns true if the broker can copy batches into the segment, see {@link #copyWith}. */
    boolean mayCopy() {
        return copy.isAllowed();
    }

    /** Returns true if no batch is being copied. */
    boolean isCopyFree() {
        return copy.isFree();
    }

    /**
     * Accepts a batch that is copied into the segment when its place in the order is reached. Returns false if another
     * batch is already being copied, or the broker cannot copy.
     */
    boolean copy(Copied batch) {
        boolean isAdded = copy.offer(batch);
        if (isAdded) {
            work.request();
        }
        return isAdded;
    }

    /** Stops appending, and reports the reason to {@link Events#onBroken}. */
    void breakOff(String reason) {
        problem = reason;
        work.request();
    }

    /**
     * Appends the batches that are due, and then stops appending. The writers must no longer have access.
     *
     * @param then runs after the last append, on any thread; must not throw
     */
    void finish(Runnable then) {
        onFinished = then;
        work.request();
        work.goOn(); // does not wait for the worker to which the work may have been handed over
    }

    /**
     * Appends the batches that are due. Handles failures, which must neither prevent the release of the turn nor end
     * the connection that this worker happens to serve.
     */
    private boolean appendSafely(boolean isFirst) {
        try {
            countAtOnce = isFirst ? 0 : countAtOnce;
            return appendUntilMissing();
        } catch (RuntimeException | Error e) {
            LOG.error("Failed to append batches of producers", e);
            isOver = true;
            report("the broker failed");
            work.again(); // once more, to discard the rest
            return true;
        }
    }

    /** Appends the batches that are due. Returns false if it has handed the work over to another worker. */
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
        if (missing.isLate(order, checkNs) && !queue.hasDue()) {
            end("a batch did not arrive in time");
        }
    }

    private long nextDue() {
        return isOver ? OrderQueue.NONE : queue.take();
    }

    /** Processes an entry. Returns the writer that received the result, or null if there is none. */
    private Writer append(long entry) {
        int length = OrderQueue.length(entry);
        if (queue.isMisplaced(entry)) {
            end("order=" + OrderQueue.order(entry) + " was used twice");
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
            end("a producer reported a full segment, but it is not full; the order word may have been changed");
        } else {
            isOver = true;
            events.onFull();
        }
    }

    /**
     * Reserves a place for a batch to be copied. Checks the batch first, because a batch that is refused later would
     * leave a gap.
     */
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
            end("a producer used order=" + copy.order() + ", which belongs to the broker");
        } else if (queue.isEarly(copy.order())) {
            events.onEarly();
        }
    }

    private void appendCopy(Copied batch) {
        if (copy.position() != log.end()) {
            end("a place was reserved twice or skipped; a producer has changed the order word");
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
                + (result < 0 ? AppendResult.reason(result) : "the log already has the batch, at offset=" + result);
    }

    // The following methods catch all failures, because a failure must reach the producer of the batch, not the
    // producer whose worker runs this code.

    private long check(ByteBuffer batch) {
        try {
            return log.check(batch);
        } catch (RuntimeException | Error e) {
            LOG.error("Failed to check a batch", e);
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
            return AppendResult.FAILED; // the log has kept and logged the cause
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
        } catch (RuntimeException | Error e) { // the caller must still report the result of the batch
            LOG.error("Failed to end a lease: {}", reason, e);
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
