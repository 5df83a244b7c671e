package io.rocketbufs.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SlowState.Phase;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.out.OutputBuffer;
import io.rocketbufs.out.Outputs;
import io.rocketbufs.out.SlowWatch;
import io.rocketbufs.out.StubSubscriber;
import io.rocketbufs.out.Tap;
import io.rocketbufs.out.TapOrigin;
import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the times at which a connection's watches take samples, and of late samples. */
final class SlowWatchesTest {
    /** The longest time between two ticks of a connection. */
    private static final long LONGEST_TICK_MS = 500;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker stub = new StubWorker();
    private final Outputs outputs = new Outputs(1, pool, () -> false);
    private final OutputBuffer buffer = outputs.create(1, 1000, BufferOptions.DEFAULTS, null);
    private final Clock clock = new Clock();
    private final SlowWatches watches = new SlowWatches(clock, () -> TimeUnit.MILLISECONDS.toNanos(clock.nowMs));
    private final List<SlowState> states = new ArrayList<>();
    private final List<LossState> losses = new ArrayList<>();

    /** A worker that runs scheduled tasks when the test advances its clock. */
    private static final class Clock implements Worker {
        final Queue<Runnable> scheduled = new ArrayDeque<>();
        long nowMs;

        @Override
        public boolean inWorker() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public Future<?> schedule(Runnable task, long delayMs) {
            assertThat(delayMs).isEqualTo(100);
            scheduled.add(task);
            return new CompletableFuture<>();
        }

        /** Advances the clock, and runs the scheduled task once it is due. */
        void passes(long ms) {
            nowMs += ms;
            assertThat(scheduled).hasSize(1);
            scheduled.remove().run();
        }
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private StubSubscriber watched() {
        StubSubscriber peer = new StubSubscriber(pool, stub).to(buffer.fanout(), 10_000);
        watches.add(peer.subscription, states::add, losses::add);
        return peer;
    }

    private void fill() {
        for (long position = buffer.reserve(100); position >= 0; position = buffer.reserve(100)) {
            buffer.deliver(position, 100, 100, null);
            stub.run();
        }
    }

    private StubSubscriber stuck() {
        StubSubscriber peer = watched().stopped();
        fill();
        return peer;
    }

    private List<Phase> phases() {
        return states.stream().map(SlowState::phase).toList();
    }

    @Test
    void shouldTakeNoSamplesWhileNoProducerWaits() {
        StubSubscriber peer = watched();
        watches.tick(500);
        peer.stopped();
        buffer.deliver(buffer.reserve(500), 500, 500, null);
        watches.tick(500);
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldReportAWait200MsAfterTheTickThatFindsIt() {
        stuck();
        watches.tick(500);
        clock.passes(100);
        assertThat(states).isEmpty();
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN);
        assertThat(states.get(0).delayMs()).isEqualTo(200);
    }

    @Test
    void shouldReportAWait200MsAfterTheProducerHasReportedItWithoutWaitingForATick() {
        stuck();
        SlowWatch.onProducerWaits(buffer.fanout());
        clock.passes(100);
        assertThat(states).isEmpty();
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN);
    }

    @Test
    void shouldReportAWaitInLessThan1SAlthoughTheProducerReportsItAsLateAsPossible() {
        stuck();
        long begin = clock.nowMs;
        clock.nowMs += LONGEST_TICK_MS; // the longest tick interval of the producer's connection
        SlowWatch.onProducerWaits(buffer.fanout());
        while (states.isEmpty()) {
            clock.passes(100);
        }
        assertThat(clock.nowMs - begin).isEqualTo(700);
    }

    @Test
    void shouldReportAWaitInLessThan1SAlthoughNobodyReportsItAndTheTickIsAsLateAsPossible() {
        stuck();
        long begin = clock.nowMs;
        clock.nowMs += LONGEST_TICK_MS;
        watches.tick(LONGEST_TICK_MS);
        while (states.isEmpty()) {
            clock.passes(100);
        }
        assertThat(clock.nowMs - begin).isEqualTo(700);
    }

    /** Returns a subscriber, without credit, of a buffer that is filled from the other one, through a tap. */
    private StubSubscriber stuckBehind(Tap tap) {
        OutputBuffer filled = outputs.create(2, 1000, BufferOptions.DEFAULTS, null);
        outputs.setOrigin(2, new TapOrigin(tap, () -> true));
        StubSubscriber peer = new StubSubscriber(pool, stub).to(filled.fanout(), 10_000);
        watches.add(peer.subscription, states::add, losses::add);
        peer.stopped();
        filled.deliver(filled.reserve(100), 100, 100, null);
        fill();
        return peer;
    }

    @Test
    void shouldReportAWaitForABufferThatIsFilledFromAnotherOneIn200MsWithoutWaitingForATick() {
        stuckBehind(Tap.open(buffer.fanout(), false));
        SlowWatch.onProducerWaits(buffer.fanout());
        clock.passes(100);
        assertThat(states).isEmpty();
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN);
    }

    @Test
    void shouldIgnoreReportsOfWaitsForABufferThatIsFilledFromAnotherOneAfterTheWatchHasEnded() {
        StubSubscriber peer = stuckBehind(Tap.open(buffer.fanout(), false));
        watches.remove(peer.subscription);
        watched(); // another watch, which would be sampled
        SlowWatch.onProducerWaits(buffer.fanout());
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldTakeNoSamplesOfABufferThatIsFilledFromAnotherOneWhileTheReaderIsNotInTheWay() {
        Tap tap = Tap.open(buffer.fanout(), false);
        stuckBehind(tap);
        tap.consume(tap.readableLength());
        SlowWatch.onProducerWaits(buffer.fanout());
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldTakeOneSampleIn100MsHoweverOftenAProducerBeginsToWait() {
        StubSubscriber peer = stuck();
        for (int i = 0; i < 1000; i++) {
            SlowWatch.onProducerWaits(buffer.fanout());
        }
        assertThat(clock.scheduled).hasSize(1);
        peer.goOn();
        clock.passes(100);
        assertThat(clock.scheduled).isEmpty();
        assertThat(states).isEmpty();
        SlowWatch.onProducerWaits(buffer.fanout()); // no subscriber delays the producer
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldIgnoreReportsOfWaitsAfterTheWatchHasEnded() {
        StubSubscriber peer = stuck();
        watches.remove(peer.subscription);
        SlowWatch.onProducerWaits(buffer.fanout());
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldTakeNoFurtherSamplesFromTicksWhileItTakesThemOnItsOwn() {
        stuck();
        for (int i = 0; i < 10; i++) {
            watches.tick(500);
        }
        clock.passes(100);
        watches.tick(500);
        clock.passes(100);
        assertThat(states.get(0).delayMs()).isEqualTo(200);
    }

    @Test
    void shouldCountAtMost100MsOfASampleThatComesLate() {
        stuck();
        watches.tick(500);
        clock.passes(5000);
        assertThat(states).isEmpty();
        clock.passes(5000);
        assertThat(phases()).containsExactly(Phase.BEGAN);
        assertThat(states.get(0).delayMs()).isEqualTo(200);
    }

    @Test
    void shouldNotCountASampleThatComesLateIfTheSubscriberHasReleasedAnything() {
        StubSubscriber peer = watched();
        peer.stopAfter(0);
        fill();
        watches.tick(500);
        for (int i = 0; i < 10; i++) {
            clock.passes(100);
            peer.stopAfter(1);
            peer.endpoint.writable();
            stub.run();
            peer.consumeAll();
            fill();
            clock.passes(200);
        }
        assertThat(peer.bytes.size()).isPositive();
        assertThat(states).isEmpty();
        clock.passes(100);
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN);
    }

    @Test
    void shouldNotReportASubscriptionThatFreesMoreThanAQuarterPerSampleAlthoughAllSamplesComeLate() {
        StubSubscriber peer = watched();
        peer.stopAfter(0);
        fill();
        watches.tick(500);
        for (int i = 0; i < 10; i++) {
            peer.stopAfter(3);
            peer.endpoint.writable();
            stub.run();
            peer.consumeAll();
            fill();
            clock.passes(190);
        }
        assertThat(peer.bytes.size()).isGreaterThan(1000);
        assertThat(states).isEmpty();
        clock.passes(190);
        clock.passes(190);
        assertThat(phases()).containsExactly(Phase.BEGAN);
    }

    @Test
    void shouldTakeSamplesAgainAfterTheListenerHasThrown() {
        StubSubscriber peer = new StubSubscriber(pool, stub).to(buffer.fanout(), 10_000);
        watches.add(
                peer.subscription,
                state -> {
                    states.add(state);
                    if (states.size() == 1) {
                        throw new AssertionError("on purpose");
                    }
                },
                losses::add);
        peer.stopped();
        fill();
        watches.tick(500);
        clock.passes(100);
        assertThatThrownBy(() -> clock.passes(100)).hasMessage("on purpose");
        assertThat(clock.scheduled).isEmpty();
        watches.tick(500);
        clock.passes(100);
        assertThat(phases()).startsWith(Phase.BEGAN).endsWith(Phase.CONTINUES);
    }

    @Test
    void shouldNotBeginAnEpisodeWithASingleSampleEvenIfItIsAlmostLate() {
        StubSubscriber peer = stuck();
        watches.tick(500);
        clock.passes(199);
        peer.goOn();
        fill();
        assertThat(states).isEmpty();
    }

    @Test
    void shouldTakeSamplesUntilTheEpisodeHasEndedAndThenNoMore() {
        StubSubscriber peer = stuck();
        watches.tick(500);
        clock.passes(100);
        clock.passes(100);
        peer.goOn();
        for (int i = 0; i < 10; i++) {
            assertThat(phases()).doesNotContain(Phase.RECOVERED);
            clock.passes(100);
        }
        assertThat(states.get(states.size() - 1).phase()).isEqualTo(Phase.RECOVERED);
        assertThat(states.get(states.size() - 1).delayMs()).isEqualTo(200);
        assertThat(clock.scheduled).isEmpty();
        watches.tick(500);
        assertThat(clock.scheduled).isEmpty();
    }

    @Test
    void shouldReportSkippedDataWithoutSamples() {
        StubSubscriber peer = new StubSubscriber(pool, stub).to(buffer.fanout(), 10_000, SlowPolicy.SKIP);
        watches.add(peer.subscription, states::add, losses::add);
        watches.tick(500);
        peer.stopped();
        for (int i = 0; i < 15; i++) { // the buffer has space for 10 deliveries
            buffer.deliver(buffer.reserve(100), 100, 100, null);
            stub.run();
        }
        watches.tick(500);
        assertThat(losses).extracting(LossState::phase).containsExactly(LossState.Phase.BEGAN);
        watches.remove(peer.subscription);
        assertThat(losses)
                .extracting(LossState::phase)
                .containsExactly(LossState.Phase.BEGAN, LossState.Phase.UNSUBSCRIBED);
        assertThat(states).isEmpty();
    }

    @Test
    void shouldDistinguishTwoSubscriptionsToOneBuffer() {
        StubSubscriber first = watched().stopped();
        stuck();
        watches.tick(500);
        clock.passes(100);
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN, Phase.BEGAN);
        assertThat(states.get(0).subscription()).isNotEqualTo(states.get(1).subscription());
        states.clear();
        watches.remove(first.subscription);
        assertThat(phases()).containsExactly(Phase.UNSUBSCRIBED);
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.UNSUBSCRIBED, Phase.CONTINUES);
        assertThat(states.get(0).subscription()).isNotEqualTo(states.get(1).subscription());
    }

    @Test
    void shouldEndWhenTheListenerRemovesTheWatch() {
        StubSubscriber peer =
                new StubSubscriber(pool, stub).to(buffer.fanout(), 10_000).stopped();
        watches.add(
                peer.subscription,
                state -> {
                    states.add(state);
                    watches.remove(peer.subscription);
                },
                losses::add);
        fill();
        watches.tick(500);
        clock.passes(100);
        clock.passes(100);
        assertThat(phases()).containsExactly(Phase.BEGAN, Phase.UNSUBSCRIBED);
        assertThat(clock.scheduled).isEmpty();
    }
}
