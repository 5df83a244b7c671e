package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.LossState.Phase;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the reports of a watch on a subscription that skips data. */
final class LossWatchTest {
    private static final long TICK_MS = 500;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final Outputs outputs = new Outputs(1, pool, () -> false);
    private final OutputBuffer buffer = outputs.create(1, 1000, BufferOptions.DEFAULTS, null);
    private final StubSubscriber peer = new StubSubscriber(pool, worker).to(buffer.fanout(), 10_000, SlowPolicy.SKIP);
    private final List<LossState> states = new ArrayList<>();
    private final LossWatch watch = new LossWatch(peer.subscription, 5, states::add);

    @AfterEach
    void close() {
        pool.close();
    }

    private void deliver(int count) {
        for (int i = 0; i < count; i++) {
            long position = buffer.reserve(100);
            if (position < 0) {
                worker.run(); // the subscription skips
                position = buffer.reserve(100);
            }
            buffer.deliver(position, 100, 100, null);
            worker.run();
        }
    }

    @Test
    void shouldReportNothingWhileNothingIsSkipped() {
        deliver(30);
        watch.tick(TICK_MS);
        watch.tick(10 * TICK_MS);
        watch.end();
        assertThat(states).isEmpty();
    }

    @Test
    void shouldReportAnEpisodeThatEndsWhenNothingHasBeenSkippedFor1S() {
        peer.stopped();
        deliver(15);
        watch.tick(TICK_MS);
        assertThat(states).containsExactly(new LossState(5, Phase.BEGAN, SlowPolicy.SKIP, 1000));
        watch.tick(TICK_MS);
        deliver(10);
        watch.tick(TICK_MS);
        peer.goOn();
        watch.tick(TICK_MS);
        assertThat(states).hasSize(1);
        watch.tick(TICK_MS);
        assertThat(states).hasSize(2).last().isEqualTo(new LossState(5, Phase.RECOVERED, SlowPolicy.SKIP, 2000));
        watch.tick(10 * TICK_MS);
        assertThat(states).hasSize(2);
    }

    @Test
    void shouldCountTheBytesOfEachEpisodeSeparately() {
        peer.stopped();
        deliver(15);
        watch.tick(TICK_MS);
        peer.goOn();
        watch.tick(2 * TICK_MS);
        peer.stopped();
        deliver(15);
        watch.tick(TICK_MS);
        assertThat(states).extracting(LossState::phase).containsExactly(Phase.BEGAN, Phase.RECOVERED, Phase.BEGAN);
        assertThat(states.get(2).lostLength()).isEqualTo(1000);
    }

    @Test
    void shouldReportAtTheEndWhatWasSkippedSinceTheLastTickAlthoughThePeerWasNeverToldOfIt() {
        peer.stopped();
        deliver(15);
        peer.subscription.cut();
        watch.end();
        assertThat(states)
                .containsExactly(
                        new LossState(5, Phase.BEGAN, SlowPolicy.SKIP, 1000),
                        new LossState(5, Phase.UNSUBSCRIBED, SlowPolicy.SKIP, 1000));
        watch.tick(TICK_MS);
        assertThat(states).hasSize(2);
        assertThat(peer.subscription.state().lostLength()).isEqualTo(1000);
    }
}
