package io.rocketbufs.in;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.Sender;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.out.StubSubscriber;
import io.rocketbufs.rocketnet.stub.StubWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SenderWaitTest {
    private static final long CAPACITY = 1000;
    private static final long FULL = 1000;

    private final CreditReports reports = new CreditReports(1, CAPACITY);
    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final Sender sender =
            new StubSubscriber(pool, new StubWorker()).endpoint.link().sender();
    private final SenderWait wait = new SenderWait(reports, CAPACITY, CAPACITY / 4);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void shouldBeInactiveUntilTheSenderStarves() {
        assertThat(wait.isActive()).isFalse();
        wait.onStarving(250, false);
        assertThat(wait.isActive()).isTrue();
        assertThat(wait.isWaiting()).isTrue();
    }

    @Test
    void shouldCountTheTimeForWhichTheSenderStarves() {
        wait.onStarving(250, false);
        for (int i = 0; i < 11; i++) {
            wait.tick(500, 0, 0);
        }
        assertThat(wait.isActive()).isTrue();
        assertThat(wait.delayMs()).isEqualTo(5000);
    }

    @Test
    void shouldCountTheTimeBetweenTheMessagesOfASenderThatStarvesAgainAndAgain() {
        for (int i = 1; i <= 10; i++) {
            wait.onStarving(0, false);
            wait.tick(500, i * 250L, FULL);
        }
        assertThat(wait.delayMs()).isEqualTo(9 * 500);
    }

    @Test
    void shouldChangeTheCountWhenAWaitBeginsAndWhenItEnds() {
        long free = wait.count();
        wait.onStarving(250, false);
        long waiting = wait.count();
        assertThat(waiting).isNotEqualTo(free);
        reports.report(sender, 250);
        assertThat(wait.isWaiting()).isFalse();
        assertThat(wait.count()).isNotEqualTo(waiting).isNotEqualTo(free);
    }

    @Test
    void shouldNotCountTimeInWhichThisProcessDidNotServeTheSender() {
        wait.onStarving(250, false);
        wait.tick(500, 0, 0);
        wait.tick(0, 0, 0);
        assertThat(wait.delayMs()).isZero();
        wait.tick(500, 0, 0);
        assertThat(wait.delayMs()).isEqualTo(500);
    }

    @Test
    void shouldCountNothingWhenTheSenderHasStarvedOnceAndCouldContinue() {
        wait.onStarving(0, false);
        wait.tick(500, 0, FULL);
        wait.tick(500, 0, FULL);
        assertThat(wait.isActive()).isFalse();
        assertThat(wait.delayMs()).isZero();
    }

    @Test
    void shouldCountNothingWhenTheProducerDoesNotWait() {
        wait.onStarving(250, true);
        long before = wait.count();
        wait.tick(500, 0, FULL);
        wait.tick(500, 0, FULL);
        assertThat(wait.isWaiting()).isFalse();
        assertThat(wait.count()).isEqualTo(before);
        assertThat(wait.delayMs()).isZero();
    }
}
