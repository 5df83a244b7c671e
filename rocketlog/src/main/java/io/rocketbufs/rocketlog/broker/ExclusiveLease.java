package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.SegmentLoan;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one producer to write batches into the head of a partition, behind the last batch. The lease has the
 * partition's turn all the time, so nothing else appends, and a producer that waits for the turn ends the lease.
 *
 * <pre>
 *            granted          end                  no access           checked, rest removed
 *   OPENING ---------&gt; HELD ------&gt; ENDING -----------------&gt; CLOSING ----------------&gt; turn given back
 *      |                 |  a batch is refused,  revocation      ^
 *      |                 |  another producer     confirmed       |
 *      |                 |  waits, the segment   or forced       |
 *      |                 |  is full                              |
 *      |                 +------- end of the connection ---------+
 *      +---- refused by the disk or the device ------------------+
 * </pre>
 *
 * <p>The producer writes the batches one behind the other, and the broker accepts each one where it is: it checks it,
 * and sets its offset. A batch that is refused ends the lease, because the next one would leave a gap; those that the
 * producer had written behind it are refused as well.
 *
 * <p>Until the end of its access, the producer can change what has been acknowledged. Afterwards, the batches are
 * compared with what they were when they were accepted.
 *
 * <p><i>Thread-safety:</i> the connection's worker, except where a method says otherwise. <i>Source:</i> KafkaDirect,
 * section 4.2.2: exclusive access. There, a broker answers a batch that it refuses with an error, and the producer asks
 * for access again.
 */
final class ExclusiveLease implements LogPartition.Lease {
    private static final Logger LOG = LoggerFactory.getLogger(ExclusiveLease.class);
    private static final Runnable NOTHING = () -> {};
    private static final int NUMBER_MASK = 0xFFFF;

    private enum State {
        OPENING,
        HELD,
        ENDING,
        CLOSING
    }

    private final ProducerLeases owner;
    private final LogPartition partition;
    private final int number;
    private final LeaseTerms terms;
    private State state = State.OPENING;
    /** Set by the thread that waits for the disk, before the producer can write. */
    private SegmentLoan loan;

    private Grant grant;
    /** True if the lease must end as soon as it is held. */
    private boolean isUnwanted;

    private int nextNumber;
    /** The result of the batch that has ended the lease; 0 if there is none. */
    private long refusal;
    /** Runs after the end. */
    private Runnable then = NOTHING;

    ExclusiveLease(ProducerLeases owner, LogPartition partition, int number, LeaseTerms terms) {
        this.owner = owner;
        this.partition = partition;
        this.number = number;
        this.terms = terms;
    }

    LogPartition partition() {
        return partition;
    }

    /** Returns the number of the partition. */
    int number() {
        return number;
    }

    @Override
    public String client() {
        return owner.client();
    }

    private Connection connection() {
        return owner.connection();
    }

    /** Lends the memory, and answers the producer. */
    void open(int correlation) {
        terms.execute(() -> {
            String refused = "the broker has failed; see its log";
            LogRefusal kind = LogRefusal.NOT_NOW;
            try {
                loan = partition.lend();
                grant = connection()
                        .grant(loan.region(), loan.begin(), loan.length(), Right.ONLY_WRITE, this::onWritten);
                grant.end().thenRun(() -> connection().execute(this::onAccessEnded));
                connection().execute(() -> begin(correlation));
                return;
            } catch (LogException | MemoryException e) {
                refused = Reason.of(e);
            } catch (TransportException | UnsupportedOperationException e) {
                kind = LogRefusal.MODE_UNAVAILABLE;
                refused = Reason.of(e);
            } finally {
                if (grant == null) {
                    refuse(correlation, kind, partition.name() + ": the log's memory cannot be written: " + refused);
                }
            }
        });
    }

    private void refuse(int correlation, LogRefusal kind, String reason) {
        close();
        owner.refuse(correlation, kind, reason);
    }

    private void begin(int correlation) {
        if (state != State.OPENING) {
            return; // the connection has ended
        }
        state = State.HELD;
        owner.answer(LogMessageLayout.acquired(correlation, grant.description()));
        boolean isWithdrawn = terms.withdrawal(connection().peer()) != null;
        if (isUnwanted || isWithdrawn || partition.turn().isAwaited()) {
            endNow();
        }
    }

    /** Takes the right from the producer, after what it has already sent. */
    @Override
    public void end() {
        connection().execute(this::endNow);
    }

    /** Ends the lease, and then runs a task on the worker. */
    void endThen(Runnable task) {
        if (then != NOTHING) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer asks for a lease twice at a time");
        }
        then = task;
        endNow();
    }

    private void endNow() {
        isUnwanted = true;
        if (state == State.HELD) {
            state = State.ENDING;
            grant.revoke(terms.revokeTimeoutMs());
        }
    }

    private void onWritten(int writtenNumber, long length) {
        if (writtenNumber != nextNumber) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer has written number=" + writtenNumber + " instead of "
                            + nextNumber);
        }
        nextNumber = nextNumber + 1 & NUMBER_MASK;
        owner.producer().onWritten(this, length);
    }

    /**
     * Accepts the batch that the producer has written behind the last one.
     *
     * @return a result as {@link AppendResult} describes it
     */
    long commit(long length) {
        if (refusal != 0) {
            return AppendResult.isTemporary(refusal) ? refusal : AppendResult.OUT_OF_ORDER;
        }
        int before = loan.count();
        long result = partition.commit(loan, (int) Math.min(length, Integer.MAX_VALUE));
        if (loan.count() == before) { // refused, or a duplicate, which is not appended either
            refusal = result < 0 ? result : AppendResult.OUT_OF_ORDER;
            endNow();
        }
        return result;
    }

    /** Called when nothing that the producer does reaches the memory any more. */
    private void onAccessEnded() {
        state = State.CLOSING;
        terms.execute(this::close);
    }

    /**
     * Checks what the producer has written, and gives back the turn. Waits for the disk. If the segment is full,
     * nothing depends on the check, so the next lease can begin before it.
     */
    private void close() {
        boolean isFull = loan != null && !partition.hasRoom();
        try {
            if (isFull) {
                partition.takeBack(loan, false);
            } else if (loan != null) {
                partition.takeBack(loan, isChanged());
                loan.close();
            }
        } finally {
            partition.leaseEnded();
            connection().execute(() -> {
                owner.remove(this);
                then.run();
                if (isFull) {
                    terms.execute(this::checkFull);
                }
            });
        }
    }

    private void checkFull() {
        isChanged();
        loan.close();
    }

    private boolean isChanged() {
        long offset = loan.changedOffset();
        if (offset >= 0) {
            onChanged(offset);
        }
        return offset >= 0;
    }

    private void onChanged(long offset) {
        partition.countChanged();
        LOG.error(
                "{} has changed records of {} after they were acknowledged, at offset={} or soon after it. Consumers"
                        + " report them as damaged, or read what they are now. Producers on its host can no longer"
                        + " write into logs directly; find out what this program is",
                owner.client(),
                partition.name(),
                offset);
        terms.distrust(connection().peer());
    }
}
