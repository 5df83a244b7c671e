package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;

/**
 * A segment into which several producers write. Each batch gets its order and its place from the order word; several
 * batches of this producer can wait for them at the same time.
 *
 * <pre>
 *   0 ........ written ............ answered ............ asked
 *              has a place, and     the word has not
 *              waits for room       been read yet
 * </pre>
 *
 * <p>A producer whose batch does not fit informs the broker with a write of length 0, so that the broker knows the last
 * order that will arrive. All later reservations are also beyond the end.
 *
 * <p><i>Thread-safety:</i> guarded by the {@link SegmentTarget}. Allocates nothing for a batch. <i>Source:</i>
 * KafkaDirect, section 4.2.2: a shared producer.
 */
final class SharedSegment implements DirectSegment {
    /** Maximum number of reservations under way, a power of two; a partition has at most five batches in flight. */
    private static final int WINDOW = 8;

    private final RemoteMemory memory;
    private final RemoteMemory word;
    private final ProducerBatch[] batches = new ProducerBatch[WINDOW];
    private final long[] words = new long[WINDOW];
    private long asked;
    private long answered;
    private long written;

    SharedSegment(RemoteMemory memory, RemoteMemory word) {
        this.memory = memory;
        this.word = word;
    }

    @Override
    public Outcome send(ProducerBatch batch) {
        if (asked - written == WINDOW) {
            return Outcome.WAIT;
        }
        Outcome outcome = DirectSegment.outcome(word.fetchAdd(0, OrderWordLayout.reservation(batch.length), 0));
        if (outcome == Outcome.SENT) {
            batches[(int) (asked++ % WINDOW)] = batch;
        }
        return outcome;
    }

    /** Called with the value of the word that was read for the next batch. */
    Outcome onReserved(long before) {
        words[(int) (answered++ % WINDOW)] = before;
        return write();
    }

    /** Writes the batches that have a place. Returns SENT if all of them have been written. */
    Outcome write() {
        Outcome outcome = Outcome.SENT;
        while (written < answered && outcome == Outcome.SENT) {
            outcome = write(batches[(int) (written % WINDOW)], words[(int) (written % WINDOW)]);
            written += outcome == Outcome.SENT ? 1 : 0;
        }
        return outcome;
    }

    private Outcome write(ProducerBatch batch, long reserved) {
        int order = OrderWordLayout.order(reserved);
        long position = OrderWordLayout.position(reserved);
        if (batch.length <= memory.length() - position) {
            return DirectSegment.outcome(memory.write(batch.region, 0, batch.length, position, order));
        }
        Outcome told = DirectSegment.outcome(memory.write(batch.region, 0, 0, 0, order));
        return told == Outcome.SENT ? Outcome.FULL : told;
    }

    @Override
    public int unwrittenCount() {
        return (int) (asked - written);
    }
}
