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
 * The broker's side of one producer. The producer's batches arrive in an input buffer and are appended in order; the
 * results are sent through an output buffer with the same id.
 *
 * <pre>
 *   input buffer (credit) --frame--&gt; copy --append turn--&gt; partition's log
 *                                                          |
 *   output buffer &lt;---- results, when ready -----------&lt; pending results
 * </pre>
 *
 * <p>While the producer has a lease on a partition, it can write batches directly into the log
 * ({@link PartitionLease}). The results of these batches are reported in the same way.
 *
 * <p>A frame stays in the input buffer until its batch has been appended, so the producer receives credit only for
 * appended frames. A frame waits, without blocking the worker, if another producer holds the partition's turn, if too
 * many results wait for the disk, or if the producer does not read its results.
 *
 * <p><i>Thread-safety:</i> confined to the connection's worker, except where stated otherwise. <i>Source:</i> FastPS,
 * section 3: a producer writes its records to a private region of the server, which orders, copies, and acknowledges
 * them.
 */
final class ProducerInput extends DurabilityWaits.Waiter {
    /**
     * Maximum number of results in one delivery. A client's buffer must have room for at least this number of results.
     */
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
    /** True after a failure that ended the connection. Data that arrives afterwards is discarded. */
    private boolean hasFailed;

    private boolean isReleased;

    /**
     * State shared by all producers of a broker.
     *
     * @param longestBatch maximum length of a batch, in bytes
     * @param window maximum number of one producer's results that may wait; a power of two
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

    /** Called when batches have arrived. Appends as many of them as possible. */
    void onData() {
        goOn();
    }

    /** Returns the producer's leases. */
    ProducerLeases leases() {
        return leases;
    }

    /**
     * Called with the result of a batch that the producer has written directly into a log. The caller then calls
     * {@link #report}.
     */
    void onResult(LogPartition partition, int number, long written, long nextOffset) {
        if (isReleased || hasFailed) {
            return; // the result can no longer be reported
        }
        // Results of ended leases count too, because the producer has not received them yet.
        if (results.count(number) >= AppendResult.MOST_IN_FLIGHT) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    partition.name() + ": the producer wrote " + results.count(number)
                            + " batches without waiting for their results");
        }
        addResult(number, partition, written, nextOffset);
    }

    /**
     * Returns an upper bound for the number of results that exceed the window: the results that already exceed it, and
     * the results that the producer's leases can still add.
     */
    int possibleExcess() {
        return results.excess() + leases.count() * AppendResult.MOST_IN_FLIGHT;
    }

    /** Called by any thread when the buffer has space for further results. */
    void onSpace() {
        connection.execute(goOn);
    }

    /** Called by any thread when another producer has released the turn, or the batch has been copied. */
    @Override
    void onTurn() {
        connection.execute(goOnWithTurn);
    }

    /** Called by any thread when the disk has stored records. */
    @Override
    void onFlushed() {
        connection.execute(goOn);
    }

    /**
     * Called when the producer has disconnected. Appends the remaining batches without reporting their results, and
     * releases the memory.
     */
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
        waitsForSpace = false; // every event, not only a space callback, is a reason to try again
        try {
            appendAndReport();
        } catch (RuntimeException | Error e) {
            hasFailed = true;
            throw e;
        } finally {
            if (hasEnded && !waitsForTurn) {
                isReleased = true;
                leases.end();
                in.unsubscribe(bufferId);
            }
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
     * Appends batches until no frame is left, the turn of a partition is taken, or too many results wait.
     *
     * @return true if frames are left only because too many results wait
     */
    private boolean appendArrived() {
        Segment arrived = in.bufferRef(bufferId);
        long length = arrived.length();
        long index = 0;
        while (index < length && results.hasRoom()) {
            int batchLength = batchLength(arrived, index, topic.name());
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

    /**
     * Returns the length of the batch in the frame that begins at an index.
     *
     * @param arrived one or more deliveries. Deliveries arrive as a whole, so an incomplete frame violates the
     *     protocol.
     * @param topic name of the topic, for the error
     * @throws TransportException if the frame is incomplete
     */
    static int batchLength(Segment arrived, long index, String topic) {
        long rest = arrived.length() - index - BatchFrameLayout.BATCH;
        int batchLength = rest < 0 ? -1 : arrived.getInt(index + BatchFrameLayout.LENGTH);
        if (batchLength < 0 || batchLength > rest) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    "topic " + topic + ": malformed frame in the producer's buffer: batch length=" + batchLength
                            + ", but " + Math.max(0, rest) + " bytes after the frame's header");
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
            sendReady(); // a flush may have completed before this producer was added
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
