package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.record.BatchVerdict;
import io.rocketbufs.rocketlog.record.RecordBatchLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.function.Function;

/**
 * One producer at the broker: its batches arrive in an input buffer and are appended in order; their results leave
 * through an output buffer with the same id.
 *
 * <pre>
 *   input buffer (credit) --frame--&gt; copy --append turn--&gt; partition's log
 *                                                          |
 *   output buffer &lt;---- results, when ready -----------&lt; pending results
 * </pre>
 *
 * <p>While the producer has the lease of a partition, it can write batches into the log itself
 * ({@link PartitionLease}). Their results are reported with the others.
 *
 * <p>A frame stays in the input buffer until it has been appended, so the producer gets credit only for appended
 * frames. There are three reasons to wait, and none of them blocks the worker: another producer has the partition's
 * turn, too many results wait for the disk, or the producer does not read its results.
 *
 * <p><i>Thread-safety:</i> the connection's worker, except where a method says otherwise. <i>Source:</i> FastPS,
 * section 3: a producer writes to a private region of the server, which orders, copies and acknowledges.
 */
final class ProducerInput extends DurabilityWaits.Waiter {
    /** Maximum number of results in one delivery; a client's buffer must have room for at least this many. */
    private static final int LONGEST_DELIVERY = 64;

    private final Connection connection;
    private final RIn in;
    private final ROut out;
    private final int bufferId;
    private final LogTopic topic;
    private final AppendTerms terms;
    private final PendingResults results;
    private final ProducerLeases leases;
    private final BatchCopy copy = new BatchCopy();
    private final ArrivedBatch front = new ArrivedBatch(this, new CopiedBatch(this));
    private final Runnable goOn = this::goOn;
    private final Runnable goOnWithTurn = this::goOnWithTurn;
    private boolean waitsForTurn;
    private boolean waitsForSpace;
    private boolean hasEnded;
    /** True after a failure that ended the connection; data that arrives is then discarded. */
    private boolean hasFailed;

    private boolean isReleased;

    /**
     * The state that all producers of a broker share.
     *
     * @param longestBatch longest batch in bytes
     * @param window number of results that may wait, a power of two
     * @param waits the producers that wait for the disk
     */
    record AppendTerms(int longestBatch, int window, DurabilityWaits waits) {}

    ProducerInput(
            Connection connection,
            RIn in,
            ROut out,
            int bufferId,
            LogTopic topic,
            AppendTerms terms,
            Function<ProducerInput, ProducerLeases> leases) {
        this.connection = connection;
        this.in = in;
        this.out = out;
        this.bufferId = bufferId;
        this.topic = topic;
        this.terms = terms;
        this.results = new PendingResults(terms.window(), topic.partitions().size());
        this.leases = leases.apply(this);
    }

    /** Appends as many of the arrived batches as possible. */
    void onData() {
        goOn();
    }

    /** Returns the producer's leases. */
    ProducerLeases leases() {
        return leases;
    }

    /** Called with the result of a batch that the producer has written into a log; {@link #report} follows. */
    void onResult(LogPartition partition, int number, long written, long nextOffset) {
        if (isReleased || hasFailed) {
            return; // the result cannot be reported
        }
        // Results of ended leases count too: the producer has not received them yet.
        if (results.count(number) >= AppendResult.MOST_IN_FLIGHT) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer wrote " + results.count(number)
                            + " batches without waiting for their results");
        }
        addResult(number, partition, written, nextOffset);
    }

    /**
     * Returns how many results wait beyond the window, or can at most be added to them by the leases that the producer
     * has.
     */
    int possibleExcess() {
        return results.excess() + leases.count() * AppendResult.MOST_IN_FLIGHT;
    }

    /** Called when the producer may take more results; any thread. */
    void onSpace() {
        connection.execute(goOn);
    }

    /** Called when another producer has released the turn, or the batch has been copied; any thread. */
    @Override
    void onTurn() {
        connection.execute(goOnWithTurn);
    }

    /** Called when the disk has stored records; any thread. */
    @Override
    void onFlushed() {
        connection.execute(goOn);
    }

    /** Appends the remaining batches, whose results the producer no longer reads, and releases the memory. */
    void onEnd() {
        hasEnded = true;
        goOn();
    }

    private void goOnWithTurn() {
        waitsForTurn = false;
        goOn();
    }

    private void goOn() {
        if (isReleased) {
            return;
        }
        waitsForSpace = false; // a space callback, or any other event, is a reason to try again
        try {
            appendAndReport();
        } catch (RuntimeException | Error e) {
            hasFailed = true;
            throw e;
        }
        if (hasEnded && !waitsForTurn) {
            isReleased = true;
            leases.end();
            in.unsubscribe(bufferId);
        }
    }

    private void appendAndReport() {
        boolean mayGoOn;
        do {
            mayGoOn = !waitsForTurn && !hasFailed && appendArrived();
            report();
        } while (mayGoOn && results.hasRoom());
    }

    /**
     * Appends frames until none is left, the turn of a partition is taken, or too many results wait.
     *
     * @return true if it stopped only because too many results wait
     */
    private boolean appendArrived() {
        Segment arrived = in.bufferRef(bufferId);
        long length = arrived.length();
        long index = 0;
        while (index < length && results.hasRoom()) {
            int batchLength = frameLength(arrived, index, length);
            if (!take(arrived, index, batchLength)) {
                break;
            }
            index += BatchFrameLayout.BATCH + batchLength;
        }
        if (index > 0) {
            in.dataConsumed(bufferId, index);
        }
        return index < length && !waitsForTurn;
    }

    /** Returns the length of the batch in a frame. Deliveries arrive whole, so the whole frame must be there. */
    private int frameLength(Segment arrived, long index, long length) {
        long rest = length - index - BatchFrameLayout.BATCH;
        int batchLength = rest < 0 ? -1 : arrived.getInt(index + BatchFrameLayout.LENGTH);
        if (batchLength < 0 || batchLength > rest) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "malformed frame in the producer's buffer: batch length=" + batchLength + ", but "
                            + Math.max(0, rest) + " bytes after the frame's header");
        }
        return batchLength;
    }

    private boolean take(Segment arrived, long index, int length) {
        int number = arrived.getInt(index + BatchFrameLayout.PARTITION);
        LogPartition partition = topic.partition(number);
        if (partition == null) {
            results.add(number, AppendResult.NO_SUCH_PARTITION);
            return true;
        }
        if (length > terms.longestBatch()) {
            results.add(number, AppendResult.rejected(BatchVerdict.BAD_LENGTH));
            return true;
        }
        boolean isAppended = front.isAppended() // while this producer waited
                || front.append(partition.lease(), partition, copy.of(arrived, index + BatchFrameLayout.BATCH, length));
        if (!isAppended) {
            waitsForTurn = true;
            return false;
        }
        long result = front.takeResult();
        addResult(number, partition, result, result < 0 ? 0 : result + RecordBatchLayout.count(front.batch(), 0));
        return true;
    }

    private void addResult(int number, LogPartition partition, long added, long nextOffset) {
        if (AppendResult.isInLog(added) && partition.waitsForDisk()) {
            results.add(number, added, partition, nextOffset);
        } else {
            results.add(number, added);
        }
    }

    /** Sends the results that are ready. */
    void report() {
        if (hasEnded || isReleased) {
            results.clear();
            return;
        }
        sendReady();
        if (!results.isEmpty() && !waitsForSpace) {
            terms.waits().add(this);
            sendReady(); // a flush may have ended before this producer was added
        }
    }

    private void sendReady() {
        for (int ready = results.readyCount(); ready > 0; ready = results.readyCount()) {
            int count = Math.min(ready, LONGEST_DELIVERY);
            Segment segment = out.getOutputSegment(bufferId, (long) count * AppendResult.LENGTH, false);
            if (segment.vecCount() < 0) {
                waitsForSpace = true;
                return;
            }
            for (int i = 0; i < count; i++) {
                long index = (long) i * AppendResult.LENGTH;
                segment.putLong(index + AppendResult.PARTITION, (long) results.number() << Integer.SIZE);
                segment.putLong(index, results.take());
            }
            out.deliver(segment, segment.length());
        }
    }
}
