package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ArrivedBatchTest {
    private static final ByteBuffer BATCH = FakeHead.batch(1, Long.BYTES);
    private static final long OFFSET = 42;

    private final AtomicInteger calls = new AtomicInteger();
    private final AppendTurn.Waiter producer = new AppendTurn.Waiter() {
        @Override
        void onTurn() {
            calls.incrementAndGet();
        }
    };

    /**
     * A producer that did not wait for the callback would mistake this callback for that of its next batch, and would
     * overwrite the next batch while another thread copies it.
     */
    @Test
    void shouldWaitForTheCallbackAlthoughTheBatchIsAlreadyAppended() {
        CopiedBatch overtaken = new CopiedBatch(producer) {
            @Override
            State offer(Lease lease, ByteBuffer offered) {
                State state = super.offer(lease, offered);
                onResult(OFFSET); // another thread appends the batch at this moment
                return state;
            }
        };
        ArrivedBatch arrived = new ArrivedBatch(producer, overtaken);
        assertThat(arrived.append(taken -> true, null, BATCH)).isFalse();
        assertThat(calls).hasValue(1);
        assertThat(arrived.isAppended()).isTrue();
        assertThat(arrived.takeResult()).isEqualTo(OFFSET);
        assertThat(arrived.isAppended()).isFalse();
        assertThat(arrived.batch()).isSameAs(BATCH);
    }

    @Test
    void shouldHaveTheResultOfABatchThatALeaseAppendsAtOnce() {
        ArrivedBatch arrived = new ArrivedBatch(producer, new CopiedBatch(producer));
        CopiedBatch.Lease lease = taken -> {
            taken.onResult(OFFSET);
            return true;
        };
        assertThat(arrived.append(lease, null, BATCH)).isTrue();
        assertThat(arrived.takeResult()).isEqualTo(OFFSET);
        assertThat(calls).hasValue(0);
    }
}
