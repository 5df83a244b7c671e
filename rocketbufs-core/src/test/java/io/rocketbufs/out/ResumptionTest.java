package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a buffer that keeps unconsumed data, with subscribers that report consumption only on request. */
final class ResumptionTest {
    private static final int CAPACITY = 300;
    private static final long ME = 0x8000_0000_0000_0007L;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final OutputBuffer buffer = new OutputBuffer(
            1,
            pool.allocate(CAPACITY),
            CAPACITY,
            BufferOptions.DEFAULTS.withResume(true).withRecordCount(64),
            null,
            () -> false,
            () -> {},
            new HashSet<>());
    private StubSubscriber reader;
    private boolean told;

    @AfterEach
    void closePool() {
        pool.close();
    }

    private StubSubscriber subscriber(Start start) {
        return new StubSubscriber(pool, worker).to(buffer.fanout(), 100_000, SlowPolicy.BLOCK, start);
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

    @Test
    void shouldKeepNothingWhenTheConnectionBreaksWhileTheSubscriberUnsubscribes() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.stopped();
        reader.subscription.onUnsubscribe();
        worker.run();
        reader.subscription.cut();
        assertThat(buffer.fanout().isUnwanted()).isTrue();
        assertThat(buffer.fanout().minReleased()).isEqualTo(100);
    }

    @Test
    void shouldKeepUnconsumedDataWhenTheConnectionCloses() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.subscription.onClosing();
        worker.run();
        assertThat(reader.controls).endsWith(ControlType.END);
        reader.subscription.onUnsubscribe();
        worker.run();
        reader.subscription.cut();
        assertThat(buffer.fanout().minReleased()).isZero();
    }

    @Test
    void shouldNotKeepDataThatIsReportedAfterTheConnectionHasBegunToClose() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.subscription.onClosing();
        worker.run();
        reader.subscription.onCredit(100);
        reader.subscription.onUnsubscribe();
        worker.run();
        reader.subscription.cut();
        deliver(50);
        assertThat(buffer.fanout().minReleased()).isEqualTo(100);
    }

    /** Consumes a delivery, and reports this if the sender has requested a report up to this position. */
    private void consume(long position, long[] reported) {
        long asked = reader.asked.stream()
                .mapToLong(Long::longValue)
                .filter(each -> each > reported[0])
                .min()
                .orElse(Long.MAX_VALUE);
        if (position >= asked) {
            // A real peer also drops the other requests.
            reader.asked.clear();
            reported[0] = position;
            reader.subscription.onCredit(position);
            worker.run();
        }
    }

    @Test
    void shouldTellAWaitingProducerBeforeEverythingIsConsumed() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        buffer.setSpaceCallback(() -> told = true);
        reader = subscriber(Start.LIVE);
        long end = 0;
        long[] reported = {0};
        long consumed = 0;
        for (int round = 0; round < 300; round++) {
            told = false;
            int length = 1 + random.nextInt(CAPACITY / 3);
            while (deliver(length)) {
                end += length;
                length = 1 + random.nextInt(CAPACITY / 3);
            }
            while (!told) {
                assertThat(consumed).as("seed=" + seed + " round=" + round).isLessThan(end);
                consumed += Math.min(end - consumed, 1 + random.nextInt(20));
                consume(consumed, reported);
            }
        }
    }

    @Test
    void shouldDisregardTheAnswerToAnEnd() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        buffer.end();
        worker.run();
        reader.subscription.onUnsubscribe();
        worker.run();
        assertThat(reader.subscription.life().hasLeft()).isFalse();
        assertThat(reader.subscription.life().isTagFree()).isTrue();
    }

    private StubSubscriber subscriber(Start start, long identity) {
        return new StubSubscriber(pool, worker).to(buffer.fanout(), 100_000, SlowPolicy.BLOCK, start, identity);
    }

    /**
     * Returns a subscriber that starts at 100 and succeeds a subscriber that has received 200 bytes and whose loss has
     * not been detected.
     */
    private StubSubscriber successor() {
        reader = subscriber(Start.at(0), ME);
        deliver(100);
        deliver(100);
        StubSubscriber second = subscriber(Start.at(100), ME);
        worker.run();
        return second;
    }

    private static long start(StubSubscriber subscriber) {
        return subscriber.subscription.stream().start();
    }

    @Test
    void shouldEndASupersededSubscriptionWithAReason() {
        StubSubscriber second = successor();
        assertThat(reader.controls).containsOnlyOnce(ControlType.SUBSCRIPTION_FAILED);
        assertThat(reader.subscription.life().reason()).contains("superseded");
        assertThat(buffer.fanout().subscriptions()).containsExactly(second.subscription);
        deliver(50);
        assertThat(reader.bytes.size()).isEqualTo(200);
        assertThat(second.bytes.size()).isEqualTo(150);
    }

    @Test
    void shouldEndASupersededSubscriptionWhoseConnectionAcceptsNothing() {
        reader = subscriber(Start.LIVE, ME);
        reader.stopped();
        deliver(100);
        StubSubscriber second = subscriber(Start.LIVE, ME);
        worker.run();
        assertThat(buffer.fanout().subscriptions()).containsExactly(second.subscription);
        assertThat(second.bytes.size()).isEqualTo(100);
    }

    @Test
    void shouldKeepNothingWhenTheSuccessorUnsubscribesBeforeTheLossIsNoticed() {
        StubSubscriber second = successor();
        var flushed = buffer.fanout().flush();
        second.consumeAll();
        second.subscription.onUnsubscribe();
        worker.run();
        reader.subscription.cut();
        assertThat(buffer.fanout().isUnwanted()).isTrue();
        assertThat(buffer.fanout().minReleased()).isEqualTo(200);
        assertThat(flushed).isCompleted();
    }

    @Test
    void shouldNotRepeatWhatALostSuccessorHasConsumed() {
        StubSubscriber second = successor();
        second.consumeAll();
        second.subscription.cut();
        reader.subscription.cut();
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWaitOnlyForOthersWhenTheSuccessorHasConsumedEverything(boolean lost) {
        StubSubscriber other = subscriber(Start.LIVE);
        StubSubscriber second = successor();
        var flushed = buffer.fanout().flush();
        worker.run();
        second.consumeAll();
        if (lost) {
            second.subscription.cut();
        } else {
            second.subscription.onUnsubscribe();
        }
        worker.run();
        reader.subscription.cut();
        assertThat(flushed).isNotDone();
        other.consumeAll();
        assertThat(flushed).isCompleted();
        assertThat(buffer.fanout().minConsumed()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8})
    void shouldNotTakeAnotherSubscriberForASuccessor(long identity) {
        reader = subscriber(Start.at(0), identity == 0 ? 0 : ME);
        deliver(100);
        StubSubscriber other = subscriber(Start.at(0), identity);
        worker.run();
        var flushed = buffer.fanout().flush();
        other.consumeAll();
        assertThat(reader.controls).doesNotContain(ControlType.SUBSCRIPTION_FAILED);
        assertThat(flushed).isNotDone();
        reader.subscription.cut();
        assertThat(flushed).isCompletedExceptionally();
    }

    @Test
    void shouldCountOnlyTheLastOfThreeSuccessors() {
        StubSubscriber second = successor();
        StubSubscriber third = subscriber(Start.at(200), ME);
        worker.run();
        deliver(50);
        var flushed = buffer.fanout().flush();
        assertThat(buffer.fanout().subscriptions()).containsExactly(third.subscription);
        second.subscription.cut();
        reader.subscription.cut();
        assertThat(flushed).isNotDone();
        third.consumeAll();
        assertThat(flushed).isCompleted();
        third.subscription.cut();
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(250);
    }

    @Test
    void shouldBeginWhereTheFormerSubscriptionHasConsumedWhenNoPositionIsRequested() {
        subscriber(Start.LIVE);
        reader = subscriber(Start.LIVE, ME);
        for (int i = 0; i < 3; i++) {
            deliver(100);
        }
        reader.subscription.onCredit(200);
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(200);
    }

    @Test
    void shouldBeginAtTheRequestedPositionEvenIfTheFormerSubscriptionNeverGotThere() {
        reader = subscriber(Start.LIVE, ME);
        reader.stopped();
        for (int i = 0; i < 3; i++) {
            deliver(100);
        }
        StubSubscriber second = subscriber(Start.at(200), ME);
        worker.run();
        assertThat(second.bytes.size()).isEqualTo(100);
        second.consumeAll();
        assertThat(buffer.fanout().minConsumed()).isEqualTo(300);
    }

    @Test
    void shouldSupersedeOverTheSameConnection() {
        reader = subscriber(Start.LIVE, ME);
        Subscription former = reader.subscription;
        deliver(100);
        reader.to(buffer.fanout(), 1000, SlowPolicy.BLOCK, Start.at(100), ME);
        worker.run();
        assertThat(former.life().isSilent()).isTrue();
        assertThat(buffer.fanout().subscriptions()).containsExactly(reader.subscription);
        deliver(100);
        assertThat(reader.bytes.size()).isEqualTo(200);
    }

    /** Supersedes a subscription after it has been accepted but before it may send. */
    @Test
    void shouldEndASubscriptionThatIsSupersededBeforeItIsActive() {
        reader = subscriber(Start.LIVE, ME);
        Subscription joining = buffer.fanout()
                .subscribe(
                        reader.endpoint.link(),
                        new SubscriptionTerms(
                                4,
                                reader.connection.remoteBuffer(RemoteAccess.NONE, 1000),
                                1000,
                                1000,
                                SlowPolicy.BLOCK,
                                false,
                                Start.LIVE,
                                ME,
                                500,
                                () -> {}));
        StubSubscriber third = subscriber(Start.LIVE, ME);
        joining.activate();
        worker.run();
        assertThat(joining.life().isSilent()).isTrue();
        assertThat(buffer.fanout().subscriptions()).containsExactly(third.subscription);
    }

    @Test
    void shouldDisregardTheLateReportOfASupersededSubscription() {
        StubSubscriber second = successor();
        reader.subscription.onCredit(200);
        assertThat(buffer.fanout().minConsumed()).isEqualTo(100);
        second.subscription.cut();
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(100);
    }

    @Test
    void shouldKeepMemoryThatASupersededSubscriptionIsStillSending() {
        reader = new StubSubscriber(pool, worker, StubTransport.withoutWithdrawal());
        reader.to(buffer.fanout(), 100_000, SlowPolicy.BLOCK, Start.LIVE, ME).answer = PostResult.POSTED;
        deliver(100);
        StubSubscriber second = subscriber(Start.LIVE, ME);
        worker.run();
        second.consumeAll();
        assertThat(buffer.fanout().minConsumed()).isEqualTo(100);
        assertThat(buffer.fanout().minReleased()).isZero();
        second.subscription.cut();
        reader.subscription.cut();
        assertThat(buffer.fanout().minReleased()).isEqualTo(100);
    }

    @Test
    void shouldNotSupersedeASubscriptionThatHasUnsubscribed() {
        reader = subscriber(Start.LIVE, ME);
        deliver(100);
        reader.stopped();
        reader.subscription.onUnsubscribe();
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(100);
    }

    @Test
    void shouldSupersedeASubscriptionWhoseConnectionIsClosing() {
        reader = subscriber(Start.LIVE, ME);
        deliver(100);
        var flushed = buffer.fanout().flush();
        reader.subscription.onClosing();
        worker.run();
        StubSubscriber second = subscriber(Start.LIVE, ME);
        worker.run();
        assertThat(buffer.fanout().subscriptions()).containsExactly(second.subscription);
        reader.subscription.onUnsubscribe();
        worker.run();
        assertThat(flushed).isNotDone();
        second.consumeAll();
        assertThat(flushed).isCompleted();
    }

    /** Covers a peer that claims to have consumed part of a transfer that is then dropped. */
    @Test
    void shouldNotBelieveAReportBeyondTheEndOfTheLog() {
        reader = new StubSubscriber(pool, worker, 50);
        reader.to(buffer.fanout(), 100_000, SlowPolicy.BLOCK, Start.LIVE, ME).stopAfter(1);
        deliver(100);
        reader.subscription.onCredit(50);
        reader.subscription.requestSkip();
        worker.run();
        assertThat(reader.subscription.consumed()).isGreaterThan(100);
        StubSubscriber second = subscriber(Start.LIVE, ME);
        assertThat(start(second)).isEqualTo(100);
        assertThat(deliver(100)).isTrue();
        second.subscription.cut();
        assertThat(start(subscriber(Start.LIVE, ME))).isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, ME, ME + 1})
    void shouldBelieveOnlyTheLostSubscriberAboutWhatItHasConsumed(long identity) {
        reader = subscriber(Start.LIVE, ME);
        deliver(100);
        deliver(100);
        var flushed = buffer.fanout().flush();
        reader.subscription.cut();
        StubSubscriber second = subscriber(Start.at(100), identity);
        worker.run();
        second.consumeAll();
        assertThat(flushed.isCompletedExceptionally()).isEqualTo(identity != ME);
        assertThat(buffer.fanout().minConsumed()).isEqualTo(identity == ME ? 200 : 0);
    }

    @Test
    void shouldRepeatARecordThatALostSubscriptionBeganInside() {
        BufferOptions keeping = BufferOptions.DEFAULTS.withResume(true).withKeep(CAPACITY);
        OutputBuffer kept = new OutputBuffer(
                1,
                pool.allocate(2 * CAPACITY),
                CAPACITY,
                keeping.withRecordCount(64),
                null,
                () -> false,
                () -> {},
                new HashSet<>());
        for (int i = 0; i < 3; i++) {
            // Short deliveries are merged into one record.
            kept.deliver(kept.reserve(5), 5, 5, null);
        }
        StubSubscriber first = new StubSubscriber(pool, worker);
        first.to(kept.fanout(), 1000, SlowPolicy.BLOCK, Start.at(5));
        first.subscription.cut();
        StubSubscriber second = new StubSubscriber(pool, worker).to(kept.fanout(), 1000);
        worker.run();
        assertThat(start(second)).isZero();
        assertThat(second.bytes.size()).isEqualTo(15);
    }

    @Test
    void shouldKeepNothingWhenTheSubscriberUnsubscribesBeforeTheEndOfAClosingConnectionIsSent() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.stopped();
        reader.subscription.onClosing();
        worker.run();
        reader.subscription.onUnsubscribe();
        reader.subscription.cut();
        assertThat(buffer.fanout().isUnwanted()).isTrue();
    }

    @Test
    void shouldKeepNothingWhenTheSubscriberUnsubscribesWhileTheEndIsRefused() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.connection.onSend(message -> {
            reader.subscription.onUnsubscribe();
            return PostResult.NO_WINDOW;
        });
        reader.subscription.onClosing();
        worker.run();
        reader.connection.onSend(message -> PostResult.SENT);
        reader.goOn();
        assertThat(reader.subscription.life().isSilent()).isTrue();
        reader.subscription.cut();
        assertThat(buffer.fanout().isUnwanted()).isTrue();
    }

    /** Makes a producer with a space callback wait for a subscriber to which all data has been sent. */
    private StubSubscriber stuck() {
        buffer.setSpaceCallback(() -> told = true);
        reader = subscriber(Start.LIVE);
        while (deliver(100)) {
            assertThat(buffer.fanout().log().end()).isLessThanOrEqualTo(CAPACITY);
        }
        return reader;
    }

    /** Advances the clock by three minutes. */
    private void passTime(StubSubscriber subscriber) {
        for (int i = 0; i < 3; i++) {
            subscriber.subscription.tick(60_000);
        }
        worker.run();
    }

    @Test
    void shouldDisconnectASubscriberThatAProducerWaitsFor() {
        passTime(stuck());
        assertThat(reader.failure).hasMessageContaining("consumed nothing for");
    }

    @Test
    void shouldNotDisconnectASubscriberThatNobodyWaitsForAnyMore() {
        stuck();
        // When this subscriber joins, the producer is notified but does not try again.
        new StubSubscriber(pool, worker).stopped().to(buffer.fanout(), 100_000, SlowPolicy.BLOCK, Start.at(0));
        assertThat(told).isTrue();
        passTime(reader);
        assertThat(reader.failure).isNull();
    }

    @Test
    void shouldDisregardAnAnswerThatArrivesWhileTheEndIsBeingSent() {
        reader = subscriber(Start.LIVE);
        deliver(100);
        reader.connection.onSend(message -> {
            if (ControlType.of(ControlLayout.typeCode(message)) == ControlType.END) {
                reader.subscription.onUnsubscribe();
            }
            return PostResult.SENT;
        });
        buffer.end();
        worker.run();
        assertThat(reader.subscription.life().hasLeft()).isFalse();
    }
}
