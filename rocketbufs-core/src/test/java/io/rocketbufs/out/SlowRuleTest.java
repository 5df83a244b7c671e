package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.stub.StubWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests for how long a subscription may be slow, without the machine's clock. */
class SlowRuleTest implements StubFanoutOwner {
    private static final int CAPACITY = 1000;
    private static final long LIMIT_MS = 1000;
    private static final long TICK_MS = 250;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);
    private final DeliveryLog log = new DeliveryLog(64, false);
    private final Fanout fanout = new Fanout(
            1, memory, log, BufferOptions.DEFAULTS.withStallTimeout(LIMIT_MS).withLagLimits(0, LIMIT_MS), this, null);
    private final StubSubscriber reader = new StubSubscriber(pool, worker);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void deliver(int length) {
        log.reclaim(fanout.minReleased(), Long.MAX_VALUE, log.end());
        log.append(log.end(), length, log.end(), 0, null);
        fanout.announce();
        fanout.send();
        worker.run();
    }

    private void tick() {
        worker.run(() -> reader.subscription.tick(TICK_MS));
    }

    private void tickFor(long lengthMs) {
        for (long passedMs = 0; passedMs < lengthMs; passedMs += TICK_MS) {
            tick();
        }
    }

    @Test
    void shouldKeepASubscriberThatConsumesNothingWhileNoDataIsPending() {
        for (SlowPolicy policy : new SlowPolicy[] {SlowPolicy.BLOCK, SlowPolicy.DISCONNECT}) {
            StubSubscriber full = new StubSubscriber(pool, worker).to(fanout, 600, policy);
            deliver(600);
            for (int i = 0; i < 100; i++) {
                worker.run(() -> full.subscription.tick(TICK_MS));
            }
            assertThat(full.failure).isNull();
            worker.run(full.subscription::onUnsubscribe);
        }
    }

    @Test
    void shouldDisconnectABlockingSubscriberThatConsumesNothingForTheTimeLimit() {
        reader.to(fanout, 600);
        deliver(600);
        deliver(1);
        tick(); // the delivery may be new
        tickFor(LIMIT_MS - TICK_MS);
        assertThat(reader.failure).isNull();
        tick();
        assertThat(reader.failure).hasMessageContaining("consumed nothing for 1000 ms while 1 bytes were waiting");
    }

    @Test
    void shouldKeepABlockingSubscriberThatConsumesSomethingWithinTheTimeLimit() {
        reader.to(fanout, 600);
        deliver(600);
        deliver(300);
        for (int i = 1; i < 20; i++) {
            tickFor(LIMIT_MS - TICK_MS);
            reader.subscription.onCredit(i);
        }
        assertThat(reader.failure).isNull();
    }

    @Test
    void shouldRestartTheTimeWhenDataIsPendingAgain() {
        reader.to(fanout, 600);
        deliver(600);
        deliver(1);
        tickFor(LIMIT_MS);
        reader.consumeAll();
        tickFor(LIMIT_MS);
        deliver(600);
        tickFor(LIMIT_MS);
        assertThat(reader.failure).isNull();
        tick();
        assertThat(reader.failure).hasMessageContaining("consumed nothing for");
    }

    @Test
    void shouldKeepASubscriberThatAlwaysLagsButNeverForLong() {
        reader.to(fanout, 100, SlowPolicy.DISCONNECT);
        deliver(100);
        for (int i = 0; i < 100; i++) {
            deliver(100);
            tickFor(LIMIT_MS / 2);
            assertThat(reader.subscription.pendingLength()).isEqualTo(100);
            reader.consumeAll();
            worker.run();
        }
        assertThat(reader.failure).isNull();
    }

    @Test
    void shouldDisconnectASubscriberForWhichADeliveryWaitsTooLongAlthoughItConsumesSomething() {
        reader.to(fanout, 600, SlowPolicy.DISCONNECT);
        deliver(600);
        deliver(300);
        for (int i = 1; i <= 4; i++) {
            assertThat(reader.failure).isNull();
            tick();
            reader.subscription.onCredit(i);
        }
        tick();
        assertThat(reader.failure).hasMessageContaining("lags by 1000 ms and 300 bytes");
    }
}
