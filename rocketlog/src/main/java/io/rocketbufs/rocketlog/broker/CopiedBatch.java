package io.rocketbufs.rocketlog.broker;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A batch that waits in a producer's buffer while other producers write directly into the head of its partition. The
 * broker copies the batch into the head when its place in the order is reached.
 *
 * <pre>
 *            offer               wait                 appended
 *   NONE -----------&gt; OFFERED ----------&gt; WAITS ------------------&gt; DONE ---&gt; NONE
 *    ^                  | |                 |   calls the producer    ^
 *    |                  | +-----------------|-- appended at once -----+
 *    +-- not appended --+-------------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> one thread offers a batch, waits, and takes the result; another thread may append the batch.
 */
class CopiedBatch implements WrittenBatches.Copied {
    /** The state of the batch. */
    enum State {
        /** No lease has accepted the batch, which must be appended in another way. */
        NONE,
        /** A lease has been offered the batch. */
        OFFERED,
        /** The producer waits, and is called when the batch is done or must be appended in another way. */
        WAITS,
        /** The batch has been appended or refused. */
        DONE
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NONE);
    private final AppendTurn.Waiter producer;
    private ByteBuffer batch;
    private long result;

    /** A lease into whose memory batches can be copied. */
    interface Lease {
        /**
         * Accepts a batch.
         *
         * @return false if the batch must be appended in another way; true if one of the batch's callbacks has been or
         *     will be called
         */
        boolean copy(WrittenBatches.Copied batch);
    }

    /**
     * @param producer called when a batch that had to wait has been appended or refused, or must be appended in another
     *     way
     */
    CopiedBatch(AppendTurn.Waiter producer) {
        this.producer = producer;
    }

    /**
     * Offers a batch to a lease.
     *
     * @param lease may be null
     * @return NONE, WAITS or DONE
     */
    State offer(Lease lease, ByteBuffer offered) {
        if (lease == null) {
            return State.NONE;
        }
        batch = offered;
        state.set(State.OFFERED);
        if (!lease.copy(this)) {
            state.set(State.NONE);
            return State.NONE;
        }
        return state.compareAndSet(State.OFFERED, State.WAITS) ? State.WAITS : state.get();
    }

    /** Returns true if the batch has been appended or refused. */
    boolean isDone() {
        return state.get() == State.DONE;
    }

    /** Returns the result of a batch that is done, after which another batch can be offered. */
    long takeResult() {
        state.set(State.NONE);
        return result;
    }

    @Override
    public ByteBuffer batch() {
        return batch;
    }

    @Override
    public void onResult(long found) {
        result = found;
        end(State.DONE);
    }

    @Override
    public void onReturned() {
        end(State.NONE);
    }

    private void end(State next) {
        if (state.getAndSet(next) == State.WAITS) {
            producer.onTurn();
        }
    }
}
