package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SlowState.Phase;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the watches that report which of a buffer's subscriptions delay the producer. */
final class SlowWatchTest {
    private static final int CAPACITY = 1000;
    private static final int TICK_MS = 500;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final Outputs outputs = new Outputs(1, pool, () -> false);
    private final OutputBuffer buffer = outputs.create(1, CAPACITY, BufferOptions.DEFAULTS, null);

    @AfterEach
    void close() {
        pool.close();
    }

    /** A subscription with its watch and the reports of the watch. */
    private final class Watched {
        final StubSubscriber peer;
        final SlowWatch watch;
        final List<SlowState> states = new ArrayList<>();

        Watched(SlowPolicy policy) {
            peer = new StubSubscriber(pool, worker).to(buffer.fanout(), 10 * CAPACITY, policy);
            watch = new SlowWatch(peer.subscription, 5, states::add, () -> {});
        }

        Watched() {
            this(SlowPolicy.BLOCK);
        }

        List<Phase> phases() {
            return states.stream().map(SlowState::phase).toList();
        }

        SlowState last() {
            return states.get(states.size() - 1);
        }
    }

    private void deliver(int length) {
        long position = buffer.reserve(length);
        assertThat(position).isNotNegative();
        buffer.deliver(position, length, length, null);
        worker.run();
    }

    /** Fills the buffer until the producer is refused. */
    private void fill() {
        fill(buffer);
    }

    private void fill(OutputBuffer filled) {
        for (long position = filled.reserve(100); position >= 0; position = filled.reserve(100)) {
            filled.deliver(position, 100, 100, null);
            worker.run();
        }
    }

    /** Returns a watch that has reported the start of an episode, because its subscription releases nothing. */
    private Watched delaying() {
        Watched slow = new Watched();
        slow.peer.stopped();
        fill();
        tick(slow);
        tick(slow);
        return slow;
    }

    private static void tick(Watched... all) {
        for (Watched one : all) {
            one.watch.sample(TICK_MS, false);
        }
    }

    @Test
    void shouldReportOnlyTheStuckSubscriptionAndNotTheOthers() {
        Watched stuck = new Watched();
        Watched other = new Watched();
        stuck.peer.stopped();
        fill();
        assertThat(stuck.watch.sample(0, false)).isTrue();
        assertThat(other.watch.sample(0, false)).isFalse();
        assertThat(stuck.watch.sample(100, false)).isTrue();
        assertThat(stuck.states).isEmpty();
        stuck.watch.sample(100, false);
        other.watch.sample(100, false);
        assertThat(stuck.phases()).containsExactly(Phase.BEGAN);
        assertThat(stuck.last()).isEqualTo(new SlowState(5, Phase.BEGAN, SlowPolicy.BLOCK, CAPACITY, 200));
        tick(stuck, other);
        assertThat(stuck.phases()).containsExactly(Phase.BEGAN, Phase.CONTINUES);
        assertThat(other.states).isEmpty();
        assertThat(other.peer.subscription.state().delayMs()).isZero();
    }

    @Test
    void shouldReportNothingWhileTheProducerHasSpace() {
        Watched behind = new Watched();
        behind.peer.stopped();
        deliver(900);
        for (int i = 0; i < 10; i++) {
            tick(behind);
        }
        assertThat(behind.states).isEmpty();
    }

    @Test
    void shouldReportNothingAboutASubscriptionThatIsBehindButNotInTheWay() {
        Watched stuck = new Watched();
        stuck.peer.stopped();
        Watched behind = new Watched();
        deliver(600);
        behind.peer.stopped();
        deliver(400);
        assertThat(buffer.reserve(300)).isEqualTo(OutputBuffer.NO_SPACE);
        for (int i = 0; i < 10; i++) {
            tick(stuck, behind);
        }
        assertThat(behind.peer.subscription.state().pendingLength()).isEqualTo(400);
        assertThat(behind.states).isEmpty();
        assertThat(stuck.states).isNotEmpty();
        stuck.peer.goOn();
        fill();
        tick(stuck, behind);
        tick(stuck, behind);
        assertThat(behind.phases()).containsExactly(Phase.BEGAN);
    }

    @Test
    void shouldReportEachOfSeveralSubscriptionsThatAreInTheWay() {
        Watched first = new Watched();
        Watched second = new Watched();
        first.peer.stopped();
        second.peer.stopped();
        fill();
        tick(first, second);
        tick(first, second);
        assertThat(first.phases()).containsExactly(Phase.BEGAN);
        assertThat(second.phases()).containsExactly(Phase.BEGAN);
        first.peer.goOn();
        tick(first, second);
        tick(first, second);
        assertThat(first.phases()).containsExactly(Phase.BEGAN, Phase.CONTINUES, Phase.RECOVERED);
        assertThat(second.phases()).containsExactly(Phase.BEGAN, Phase.CONTINUES, Phase.CONTINUES);
    }

    @Test
    void shouldReportRecoveryWithTheTimeThatTheProducerWaited() {
        Watched slow = new Watched();
        slow.peer.stopped();
        fill();
        for (int i = 0; i < 5; i++) {
            tick(slow);
        }
        assertThat(slow.peer.subscription.state().currentDelayMs()).isEqualTo(2000);
        slow.peer.goOn();
        tick(slow);
        assertThat(slow.last().phase()).isEqualTo(Phase.CONTINUES);
        tick(slow);
        assertThat(slow.last()).isEqualTo(new SlowState(5, Phase.RECOVERED, SlowPolicy.BLOCK, 0, 2000));
        assertThat(slow.watch.sample(TICK_MS, false)).isFalse();
        assertThat(slow.peer.subscription.state().currentDelayMs()).isZero();
        assertThat(slow.peer.subscription.state().delayMs()).isEqualTo(2000);
        assertThat(slow.peer.subscription.state().worstPendingLength()).isEqualTo(CAPACITY);
        tick(slow);
        assertThat(slow.last().phase()).isEqualTo(Phase.RECOVERED);
    }

    @Test
    void shouldReportASubscriptionThatCrawlsInOneEpisode() {
        Watched crawling = new Watched();
        crawling.peer.stopAfter(0);
        fill();
        for (int i = 0; i < 20; i++) {
            tick(crawling);
            crawling.peer.stopAfter(1);
            crawling.peer.endpoint.writable();
            worker.run();
            fill();
        }
        assertThat(crawling.peer.bytes.size()).isPositive();
        assertThat(crawling.phases().stream().filter(phase -> phase == Phase.BEGAN))
                .hasSize(1);
        assertThat(crawling.phases()).doesNotContain(Phase.RECOVERED);
        assertThat(crawling.last().delayMs()).isEqualTo(19 * TICK_MS);
    }

    @Test
    void shouldReportNothingAboutAFastSubscriptionOfAFasterProducer() {
        Watched fast = new Watched();
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 2; j++) {
                fast.peer.stopped();
                fill();
                assertThat(fast.peer.subscription.isInTheWay()).isTrue();
                if (j == 0) {
                    fast.peer.goOn();
                    fast.peer.consumeAll();
                }
            }
            tick(fast);
            fast.peer.goOn();
            fast.peer.consumeAll();
        }
        assertThat(fast.states).isEmpty();
    }

    @Test
    void shouldReportNothingUnderThePolicySkip() {
        Watched skipping = new Watched(SlowPolicy.SKIP);
        skipping.peer.stopped();
        for (int i = 0; i < 50; i++) {
            deliver(100);
            tick(skipping);
        }
        assertThat(skipping.states).isEmpty();
    }

    @Test
    void shouldReportTheEndOfTheSubscriptionDuringAnEpisodeOnce() {
        Watched slow = delaying();
        slow.watch.end();
        slow.watch.end();
        tick(slow);
        tick(slow);
        assertThat(slow.phases()).containsExactly(Phase.BEGAN, Phase.UNSUBSCRIBED);
        assertThat(slow.last().delayMs()).isEqualTo(TICK_MS);
    }

    @Test
    void shouldReportRecoveryWhenTheSubscriptionEndsAfterTheProducerHasWaited() {
        Watched slow = delaying();
        slow.peer.goOn();
        slow.watch.sample(100, true); // reports nothing, because the sample was late
        slow.watch.sample(100, false);
        slow.watch.end();
        assertThat(slow.phases()).containsExactly(Phase.BEGAN, Phase.CONTINUES, Phase.CONTINUES, Phase.RECOVERED);
        assertThat(slow.last().delayMs()).isEqualTo(TICK_MS);
    }

    @Test
    void shouldReportRecoveryWhenTheSubscriptionHasReceivedEverythingOfAnEndedBuffer() {
        Watched slow = delaying();
        outputs.remove(1);
        slow.peer.goOn();
        slow.watch.end();
        assertThat(slow.phases()).containsExactly(Phase.BEGAN, Phase.RECOVERED);
    }

    @Test
    void shouldReportTheEndOfTheSubscriptionThatHasNotReceivedEverythingOfAnEndedBuffer() {
        Watched slow = delaying();
        outputs.remove(1);
        slow.peer.subscription.cut();
        slow.watch.end();
        assertThat(slow.phases()).containsExactly(Phase.BEGAN, Phase.UNSUBSCRIBED);
    }

    @Test
    void shouldReportRecoveryWhenTheBufferEnds() {
        Watched slow = delaying();
        outputs.remove(1);
        tick(slow);
        tick(slow);
        assertThat(slow.last().phase()).isEqualTo(Phase.RECOVERED);
    }

    @Test
    void shouldTellThePeerAtATickThatDataWaitsForCredit() {
        StubSubscriber peer = new StubSubscriber(pool, worker).to(buffer.fanout(), 500, SlowPolicy.BLOCK);
        for (int i = 0; i < 10; i++) {
            deliver(100);
        }
        assertThat(peer.asked).isEmpty();
        peer.subscription.tick(TICK_MS);
        assertThat(peer.asked).containsExactly(125L);
        for (int i = 0; i < 10; i++) {
            peer.subscription.tick(TICK_MS);
        }
        assertThat(peer.asked).hasSize(1);
        assertThat(peer.subscription.state().starvedCount()).isEqualTo(1);
        peer.subscription.onCredit(200);
        assertThat(peer.bytes.size()).isEqualTo(700);
        assertThat(peer.asked).containsExactly(125L, 325L);
        assertThat(peer.subscription.state().starvedCount()).isEqualTo(2);
    }

    @Test
    void shouldTellAPeerThatReportsOftenOnlyOfAFewWaits() {
        StubSubscriber peer = new StubSubscriber(pool, worker).to(buffer.fanout(), 500, SlowPolicy.BLOCK);
        fill();
        peer.subscription.tick(TICK_MS);
        for (int i = 1; i <= 100; i++) {
            fill();
            peer.subscription.onCredit(100L * i);
        }
        assertThat(peer.asked).hasSize(5);
    }

    @Test
    void shouldNotTellThePeerThatDataWaitsWhenTheProducerDoesNot() {
        OutputBuffer lossy = outputs.create(2, CAPACITY, BufferOptions.DEFAULTS.withFlowControl(false), null);
        StubSubscriber peer = new StubSubscriber(pool, worker).to(lossy.fanout(), 500, SlowPolicy.BLOCK);
        for (int i = 0; i < 10; i++) {
            lossy.deliver(lossy.reserve(100), 100, 100, null);
            worker.run();
        }
        peer.subscription.tick(TICK_MS);
        assertThat(peer.asked).isEmpty();
    }

    @Test
    void shouldMeasureTheProducersWindowAndNotTheDataThatIsKept() {
        OutputBuffer keeping = outputs.create(2, CAPACITY, BufferOptions.DEFAULTS.withKeep(15 * CAPACITY), null);
        StubSubscriber peer = new StubSubscriber(pool, worker).to(keeping.fanout(), 1 << 20, SlowPolicy.BLOCK);
        SlowWatch watch = new SlowWatch(peer.subscription, 1, state -> {}, () -> {});
        peer.stopped();
        fill(keeping);
        watch.sample(0, false);
        for (int i = 0; i < 5; i++) {
            // Each sample covers the whole window, so the reader is fast, even though the window is less than a quarter
            // of the memory.
            peer.goOn();
            peer.stopped();
            fill(keeping);
            assertThat(peer.subscription.isInTheWay()).isTrue();
            watch.sample(100, false);
        }
        assertThat(peer.subscription.state().currentDelayMs()).isZero();
        watch.sample(100, false);
        watch.sample(100, false);
        assertThat(peer.subscription.state().currentDelayMs()).isEqualTo(200);
    }

    @Test
    void shouldReportTheSubscriberOfABufferThatIsFilledFromAnotherOneOnlyWhileItHoldsUpTheOtherProducer() {
        OutputBuffer filled = outputs.create(2, CAPACITY, BufferOptions.DEFAULTS, null);
        Tap tap = Tap.open(buffer.fanout(), false);
        AtomicBoolean isHeldUp = new AtomicBoolean(true);
        outputs.setOrigin(2, new TapOrigin(tap, isHeldUp::get));
        StubSubscriber peer = new StubSubscriber(pool, worker).to(filled.fanout(), 10 * CAPACITY, SlowPolicy.BLOCK);
        List<SlowState> states = new ArrayList<>();
        SlowWatch watch = new SlowWatch(peer.subscription, 1, states::add, () -> {});
        peer.stopped();
        fill(filled); // the filled buffer's own producer may wait
        sample(watch, 5);
        assertThat(states).isEmpty();
        fill(); // keeps all data for the tap
        isHeldUp.set(false);
        sample(watch, 5);
        assertThat(states).isEmpty();
        isHeldUp.set(true);
        sample(watch, 3);
        assertThat(states).containsExactly(new SlowState(1, Phase.BEGAN, SlowPolicy.BLOCK, CAPACITY, 200));
        tap.consume(tap.readableLength());
        sample(watch, 10);
        assertThat(states.get(states.size() - 1).phase()).isEqualTo(Phase.RECOVERED);
    }

    private static void sample(SlowWatch watch, int times) {
        for (int i = 0; i < times; i++) {
            watch.sample(100, false);
        }
    }

    @Test
    void shouldReportASubscriberThatConsumesNothingInABufferThatResumes() {
        OutputBuffer resuming = outputs.create(2, CAPACITY, BufferOptions.DEFAULTS.withResume(true), null);
        StubSubscriber peer = new StubSubscriber(pool, worker).to(resuming.fanout(), 10 * CAPACITY, SlowPolicy.BLOCK);
        List<SlowState> states = new ArrayList<>();
        SlowWatch watch = new SlowWatch(peer.subscription, 1, states::add, () -> {});
        fill(resuming);
        assertThat(peer.bytes.size()).isEqualTo(CAPACITY);
        watch.sample(0, false);
        watch.sample(100, false);
        watch.sample(100, false);
        assertThat(states).containsExactly(new SlowState(1, Phase.BEGAN, SlowPolicy.BLOCK, CAPACITY, 200));
        peer.consumeAll();
        watch.sample(TICK_MS, false);
        watch.sample(TICK_MS, false);
        assertThat(states.get(states.size() - 1).phase()).isEqualTo(Phase.RECOVERED);
    }

    @Test
    void shouldNotAskForCreditWhenNothingWaitsForIt() {
        StubSubscriber peer = new StubSubscriber(pool, worker).to(buffer.fanout(), 500, SlowPolicy.BLOCK);
        deliver(500);
        peer.subscription.tick(TICK_MS);
        assertThat(peer.asked).isEmpty();
    }
}
