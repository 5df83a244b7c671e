package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlType;
import java.util.HashSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a producer that tries again only after the space callback has run, while a subscriber may skip data. */
final class SpaceCallbackTest {
    private static final int CAPACITY = 1000;
    private static final int LENGTH = 4;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final StubSubscriber slow = new StubSubscriber(pool, worker);
    private final StubSubscriber skipping = new StubSubscriber(pool, worker);
    private OutputBuffer buffer;
    private boolean called;

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void open(BufferOptions options) {
        buffer = new OutputBuffer(
                1,
                pool.allocate(CAPACITY + options.keep()),
                CAPACITY,
                options.withCoalescing(false),
                null,
                () -> false,
                () -> {},
                new HashSet<>());
        buffer.setSpaceCallback(() -> called = true);
    }

    private boolean deliver(int length) {
        long position = buffer.reserve(length);
        if (position < 0) {
            return false;
        }
        buffer.deliver(position, length, length, null);
        worker.run();
        return true;
    }

    /** Tries again each time the callback has run; returns true on success. */
    private boolean isDelivered() {
        while (called) {
            called = false;
            if (deliver(LENGTH)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Covers a skipping subscriber that has no credit. It stops between the needed position and the position of half of
     * the data.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotWaitForASubscriberThatIsNotInTheWay(boolean joinsFirst) {
        open(BufferOptions.DEFAULTS.withKeep(24).withRecordCount(8));
        slow.to(buffer.fanout(), CAPACITY).stopped();
        for (int i = 0; i < 8; i++) {
            assertThat(deliver(LENGTH)).isTrue();
        }
        if (joinsFirst) {
            skipping.to(buffer.fanout(), LENGTH, SlowPolicy.SKIP, Start.OLDEST);
        }
        assertThat(deliver(LENGTH)).isFalse();
        if (!joinsFirst) {
            skipping.to(buffer.fanout(), LENGTH, SlowPolicy.SKIP, Start.OLDEST);
        }
        worker.run();
        assertThat(isDelivered()).isFalse();
        assertThat(skipping.bytes.size()).isEqualTo(LENGTH);
        slow.goOn();
        assertThat(isDelivered()).isTrue();
    }

    @Test
    void shouldNotMakeASubscriberSkipWhenOnlyOpenReservationsAreInTheWay() {
        open(BufferOptions.DEFAULTS);
        skipping.to(buffer.fanout(), CAPACITY, SlowPolicy.SKIP).stopped();
        deliver(10);
        deliver(10);
        while (buffer.reserve(1) >= 0) {
            assertThat(buffer.fanout().isEnded()).isFalse();
        }
        skipping.goOn();
        assertThat(skipping.controls).doesNotContain(ControlType.GAP);
        assertThat(skipping.bytes.size()).isEqualTo(20);
    }
}
