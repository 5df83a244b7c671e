package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one producer, or of several producers that share it, to write batches directly into the head of a
 * partition, after its last batch. The lease holds the partition's turn until the lease ends, so that no other producer
 * can append.
 *
 * <pre>
 *             lent              end                no access, all appended         checked, rest removed
 *   OPENING -------&gt; HELD ------------&gt; ENDING -----------------------&gt; CLOSING -------&gt; turn released
 *      |              |  a batch is refused,   ^                           ^
 *      |              |  an order is missing,  |  access revoked           |
 *      |              |  the segment is full,                              |
 *      |              |  another producer waits                            |
 *      |              +-------------- the last producer has left ----------+
 *      +---- refused by the disk or the device ----------------------------+
 * </pre>
 *
 * <p>The producers write batches one after another, and the broker accepts each batch in place, in order
 * ({@link WrittenBatches}). A batch that is refused, or does not arrive, ends the lease, because the next batch would
 * leave a gap.
 *
 * <p>The producers can change acknowledged batches until their access ends. The broker then verifies that the batches
 * have not changed since it accepted them.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Source:</i> KafkaDirect, section 4.2.2. In KafkaDirect, the broker responds
 * to a refused batch with an error, and the producer requests access again. If a batch of a shared file does not
 * arrive, all producers lose access.
 */
final class PartitionLease implements WrittenBatches.Events, CopiedBatch.Lease {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLease.class);
    /**
     * Maximum number of producers that share a lease. If each of them has five batches in flight, they use fewer orders
     * than can be outstanding.
     */
    private static final int MOST_HOLDERS = 128;

    private static final String FAILED = "the broker failed; see its log";
    private static final String BUSY = "too many tasks wait for the disk, or the broker is being closed";

    private enum State {
        OPENING,
        HELD,
        ENDING,
        CLOSING
    }

    private final LogPartition partition;
    private final LeaseMode mode;
    private final LeaseTerms terms;
    /**
     * The producers whose access has not ended. This field and the following fields are guarded by this object's lock.
     */
    private final List<LeaseHolder> holders = new ArrayList<>();
    /** The producers whose access ended when the lease ended. */
    private final List<LeaseHolder> formerHolders = new ArrayList<>();

    private final List<Runnable> tasksAfterEnd = new ArrayList<>();
    private volatile State state = State.OPENING;
    /** True if the lease must end as soon as it reaches the state HELD. */
    private boolean isUnwanted;

    private boolean hasEnded;

    private final OrderTimer timer;
    /**
     * Set by the thread that waits for the disk, before any producer has access. Null if the memory could not be lent.
     */
    private LentSegment segment;

    /** The batches that the producers write; null if {@link #segment} is null. */
    private volatile WrittenBatches batches;

    /** The outcomes of a producer's attempt to share a lease. */
    enum Joining {
        /** The producer shares the lease, and receives a response when it can write, or when access is refused. */
        JOINED,
        /** The lease is ending. The producer must wait until it has ended. */
        LATER,
        /** The producer cannot share the lease, because the lease is exclusive or has too many producers. */
        REFUSED
    }

    /** Creates a lease. {@link #open} then lends the memory to the first producer. */
    PartitionLease(LogPartition partition, LeaseMode mode, LeaseTerms terms, LeaseHolder first) {
        this.partition = partition;
        this.mode = mode;
        this.terms = terms;
        this.timer = new OrderTimer(terms.orderTimeoutMs(), this::checkMissing);
        holders.add(first);
    }

    /** Returns the names of the producers' clients. */
    synchronized String clients() {
        return holders.stream().map(LeaseHolder::client).collect(Collectors.joining(", "));
    }

    boolean isShared() {
        return mode == LeaseMode.SHARED;
    }

    /** Lends the memory to a producer that has been added. This happens on the thread that waits for the disk. */
    void open(LeaseHolder holder) {
        // Must not run on the calling thread, because the disk thread may be opening the memory for another producer.
        if (!terms.tryExecute(() -> openFor(holder))) {
            refuse(holder, LogRefusal.NOT_NOW, BUSY);
            left(holder);
        }
    }

    /** Adds a producer to a shared lease, if possible. */
    Joining join(LeaseHolder next) {
        synchronized (this) {
            boolean isOpen = state == State.OPENING || state == State.HELD && !isFull();
            if (!isShared() || isOpen && holders.size() >= MOST_HOLDERS) {
                return Joining.REFUSED;
            }
            if (!isOpen) {
                return Joining.LATER;
            }
            holders.add(next);
        }
        open(next);
        return Joining.JOINED;
    }

    private boolean isFull() {
        WrittenBatches written = batches;
        return written != null && written.isFull();
    }

    private void openFor(LeaseHolder holder) {
        LogRefusal kind = LogRefusal.NOT_NOW;
        String reason = FAILED;
        boolean isOpen = false;
        try {
            lend();
            reason = addWriter(holder);
            isOpen = reason == null;
        } catch (LogException | MemoryException | IOException e) {
            reason = Reason.of(e);
        } catch (TransportException | UnsupportedOperationException e) {
            kind = LogRefusal.MODE_UNAVAILABLE;
            reason = Reason.of(e);
        } finally {
            if (!isOpen) {
                refuse(holder, kind, reason);
            }
            holder.accessEnd().thenRun(() -> left(holder));
        }
        if (isOpen) {
            holder.execute(() -> begin(holder));
        }
    }

    private static void refuse(LeaseHolder holder, LogRefusal kind, String reason) {
        holder.refuse(
                kind,
                "the log's memory cannot be written: " + reason,
                kind == LogRefusal.NOT_NOW
                        ? "use the mode private, or request access again later"
                        : "use the mode private");
    }

    /** Lends the head of the log, unless it has already been lent to another producer. */
    private void lend() throws IOException {
        if (batches == null) {
            segment = LentSegment.lend(partition, terms, isShared());
            batches = new WrittenBatches(segment, isShared(), terms.orderTimeoutMs(), this);
        }
    }

    /** Gives a producer access. Returns null on success, otherwise the reason for the refusal. */
    private String addWriter(LeaseHolder holder) {
        if (!segment.isOrderedWith(holder.connection())) {
            return "other producers use it through a different device (or none); atomic operations of the two are not"
                    + " mutually atomic";
        }
        int writer = batches.add(holder);
        if (writer < 0) {
            return "too many producers that shared it still wait for their results";
        }
        try {
            segment.openFor(holder, batches, writer);
        } catch (RuntimeException | Error e) { // revokes with a timeout, because force can end connections
            holder.revoke(terms.revokeTimeoutMs());
            throw e;
        }
        return null;
    }

    /**
     * Responds to a producer that has been given access. The producer receives the response even if its access has
     * already ended. It then finds the memory revoked, and can request access again.
     */
    private void begin(LeaseHolder holder) {
        boolean mayStay;
        synchronized (this) {
            state = state == State.OPENING ? State.HELD : state;
            mayStay = state == State.HELD && !isUnwanted;
        }
        holder.begin();
        if (terms.isDistrusted(holder.connection().peer())) {
            end(holder);
        } else if (!mayStay) {
            end();
        } else if (partition.turn().isAwaited()) {
            onAwaited();
        }
    }

    /**
     * Ends the lease by revoking the access of all producers. Batches that they have already written are still
     * processed. Idempotent.
     */
    void end() {
        List<LeaseHolder> ending;
        synchronized (this) {
            isUnwanted = true;
            if (state != State.HELD) {
                return;
            }
            state = State.ENDING;
            ending = List.copyOf(holders);
        }
        ending.forEach(each -> each.revoke(terms.revokeTimeoutMs()));
    }

    /** Revokes the access of one producer. Other producers that share the lease keep their access. */
    void end(LeaseHolder holder) {
        if (isShared()) {
            holder.revoke(terms.revokeTimeoutMs());
        } else {
            end();
        }
    }

    /**
     * Ends the lease. If a producer has found the segment full, does nothing: the lease then ends when all earlier
     * batches have arrived.
     */
    void endSoon() {
        if (!isFull()) {
            end();
        }
    }

    /** Called when at least one waiter is waiting for the turn. */
    void onAwaited() {
        if (!isShared()) {
            end();
        } else if (isHeld() && !batches.mayCopy()) {
            partition.pauseSharing(); // otherwise, each batch that arrives in a buffer would end a lease
            endSoon();
        } else if (isHeld() && batches.isCopyFree()) {
            partition.turn().callWaiters();
        }
    }

    /**
     * Appends a batch from a producer's buffer, in order with the batches that other producers write directly.
     *
     * @return true if the batch's callback will receive the result; false if the producer must wait for the turn
     */
    @Override
    public boolean copy(WrittenBatches.Copied batch) {
        return isShared() && isHeld() && batches.copy(batch);
    }

    private boolean isHeld() {
        return state == State.HELD;
    }

    /** Runs a task after the end of the lease, or immediately if it has already ended. */
    void afterEnd(Runnable task) {
        synchronized (this) {
            if (!hasEnded) {
                tasksAfterEnd.add(task);
                return;
            }
        }
        task.run();
    }

    /** Called when a producer can no longer access the memory. */
    private void left(LeaseHolder holder) {
        boolean isLast;
        boolean goesOn;
        synchronized (this) {
            holders.remove(holder);
            isLast = holders.isEmpty() && state != State.CLOSING;
            if (isLast) {
                state = State.CLOSING;
            }
            goesOn = state == State.OPENING || state == State.HELD;
            if (!goesOn) {
                formerHolders.add(holder);
            }
        }
        if (goesOn) {
            holder.ended();
            if (isShared() && batches != null) {
                timer.start(); // the producer may have left a reserved place empty
            }
        } else if (isLast && batches != null) {
            batches.finish(() -> terms.execute(this::close));
        } else if (isLast) {
            close();
        }
    }

    @Override
    public void onFull() {
        end();
    }

    @Override
    public void onBroken(String reason) {
        try {
            if (isShared() && isHeld()) { // otherwise, the lease is already ending for another reason
                partition.countBroken();
                LOG.warn(
                        "{}: the producers lose access to the memory that they share: {}. They send their batches again"
                                + " through their buffers. If this happens often, stop the faulty program, or raise"
                                + " rocketlog.produce.direct.order-timeout. Producers: {}",
                        partition.name(),
                        reason,
                        clients());
            }
        } finally {
            end();
        }
    }

    @Override
    public void onCopied() {
        if (partition.turn().isAwaited()) {
            onAwaited();
        }
    }

    @Override
    public void onEarly() {
        timer.start();
    }

    private void checkMissing() {
        batches.checkMissing(System.nanoTime());
        if (batches.isMissing()) {
            timer.start();
        }
    }

    /**
     * Releases the turn and the memory. If later batches depend on the producers' batches, checks the producers'
     * batches before releasing the turn; otherwise, checks them afterwards.
     */
    private void close() {
        boolean isChecked = true;
        try {
            isChecked = segment == null || segment.takeBack();
        } finally {
            partition.leaseEnded();
            reportEnd();
            if (!isChecked) {
                terms.execute(this::checkLate);
            } else if (segment != null) {
                segment.close();
            }
        }
    }

    private void checkLate() {
        try {
            segment.check();
        } finally {
            segment.close();
        }
    }

    private void reportEnd() {
        List<Runnable> tasks;
        synchronized (this) {
            hasEnded = true;
            tasks = List.copyOf(tasksAfterEnd);
        }
        formerHolders.forEach(LeaseHolder::ended);
        tasks.forEach(Runnable::run);
    }
}
