package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.util.function.LongConsumer;

/**
 * A segment into which several producers write. Each batch reserves its order and its place through the order word.
 * Several batches of this producer can wait for their reservations at the same time.
 *
 * <pre>
 *   0 ........ written ............ answered ............ asked
 *              has a place, and     the word has not
 *              waits for room       been read yet
 * </pre>
 *
 * <p>If the transport shares memory, a producer on the broker's machine changes the word directly, without waiting.
 *
 * <p>A producer whose batch does not fit reports this to the broker with a write of length 0. The write shows the
 * broker after which order no further batches fit. All later reservations are also beyond the end.
 *
 * <p><i>Thread-safety:</i> guarded by the {@link SegmentTarget}. Allocates no memory per batch. <i>Source:</i>
 * KafkaDirect, section 4.2.2: shared producers.
 */
final class SharedSegment implements DirectSegment {
    /**
     * Maximum number of batches that can wait at the same time, for a reservation or for space; a power of two. A
     * partition has at most five batches in flight.
     */
    private static final int WINDOW = 8;

    private final RemoteMemory memory;
    private final RemoteMemory word;
    private final ProducerBatch[] batches = new ProducerBatch[WINDOW];
    private final long[] words = new long[WINDOW];
    private final LongConsumer onAnswer;
    private long asked;
    private long answered;
    private long written;

    SharedSegment(RemoteMemory memory, RemoteMemory word) {
        this.memory = memory;
        this.word = word;
        this.onAnswer = before -> words[(int) (answered++ % WINDOW)] = before;
    }

    @Override
    public Outcome send(ProducerBatch batch) {
        if (asked - written == WINDOW) {
            return Outcome.WAIT;
        }
        long reservation = OrderWordLayout.reservation(batch.length);
        // Reservations must be answered in the order of the requests, so the word is changed directly only if no answer
        // is missing.
        boolean isAnswered = asked == answered && word.fetchAddDirectly(0, reservation, onAnswer);
        Outcome outcome = isAnswered ? Outcome.SENT : DirectSegment.outcome(word.fetchAdd(0, reservation, 0));
        if (outcome == Outcome.SENT) {
            batches[(int) (asked++ % WINDOW)] = batch;
        }
        return outcome;
    }

    /**
     * Called with the previous value of the order word, which is the reservation of the next batch. Then calls
     * {@link #write}.
     */
    Outcome onReserved(long before) {
        onAnswer.accept(before);
        return write();
    }

    /** Writes the batches whose places are known. Returns SENT if all of them have been written. */
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
