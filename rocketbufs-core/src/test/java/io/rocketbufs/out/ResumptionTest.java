package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of a buffer that keeps unconsumed data, with subscribers that report consumption only when they are asked. */
final class ResumptionTest {
    private static final int CAPACITY = 300;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final OutputBuffer buffer = new OutputBuffer(
            1,
            pool.allocate(CAPACITY),
            CAPACITY,
            BufferOptions.DEFAULTS.withResume(true).withRecordCount(64),
            null,
            () -> false,
            () -> {});
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

    /** Consumes a delivery, and reports it if the peer has been asked for that much. */
    private void consume(long position, long[] reported) {
        long asked = reader.asked.stream()
                .mapToLong(Long::longValue)
                .filter(each -> each > reported[0])
                .min()
                .orElse(Long.MAX_VALUE);
        if (position >= asked) {
            // As a peer does, drops the other requests.
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
        buffer.tellSpace(() -> told = true);
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

    /** Subscribes at 0, and continues at 100 before the loss of the first connection is noticed. */
    private StubSubscriber continuation() {
        reader = subscriber(Start.at(0));
        deliver(100);
        deliver(100);
        return subscriber(Start.at(100));
    }

    @Test
    void shouldKeepNothingWhenAContinuationUnsubscribesBeforeTheLossIsNoticed() {
        StubSubscriber second = continuation();
        worker.run();
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
    void shouldNotRepeatWhatALostContinuationHasConsumed() {
        StubSubscriber second = continuation();
        worker.run();
        second.consumeAll();
        second.subscription.cut();
        reader.subscription.cut();
        assertThat(subscriber(Start.LIVE).subscription.startPosition()).isEqualTo(200);
    }

    @Test
    void shouldKeepDataForASubscriberThatAnotherOneOnlySeemedToContinue() {
        StubSubscriber second = continuation();
        worker.run();
        second.consumeAll();
        second.subscription.onUnsubscribe();
        worker.run();
        // The first connection is alive after all.
        reader.endpoint.link().heard();
        reader.subscription.cut();
        assertThat(buffer.fanout().minReleased()).isZero();
        assertThat(subscriber(Start.LIVE).subscription.startPosition()).isZero();
    }

    @Test
    void shouldRepeatARecordThatALostSubscriptionBeganInside() {
        BufferOptions keeping = BufferOptions.DEFAULTS.withResume(true).withKeep(CAPACITY);
        OutputBuffer kept = new OutputBuffer(
                1, pool.allocate(2 * CAPACITY), CAPACITY, keeping.withRecordCount(64), null, () -> false, () -> {});
        for (int i = 0; i < 3; i++) {
            // Short deliveries are merged.
            kept.deliver(kept.reserve(5), 5, 5, null);
        }
        StubSubscriber first = new StubSubscriber(pool, worker);
        first.to(kept.fanout(), 1000, SlowPolicy.BLOCK, Start.at(5));
        first.subscription.cut();
        StubSubscriber second = new StubSubscriber(pool, worker).to(kept.fanout(), 1000);
        worker.run();
        assertThat(second.subscription.startPosition()).isZero();
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
