package io.rocketbufs.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ConnectionCreditTest {
    private static final long LIMIT = 1000;

    private final ConnectionCredit credit = new ConnectionCredit(LIMIT);

    /** A waiter that counts its notifications. */
    private static class Waiter extends CreditWaiter {
        int count;

        @Override
        protected void onCredit() {
            count++;
        }
    }

    @Test
    void shouldNotLimitASingleBuffer() {
        credit.add(10 * LIMIT);
        assertThat(credit.isActive()).isFalse();
    }

    @Test
    void shouldNotLimitBuffersThatFitTogether() {
        credit.add(400);
        credit.add(600);
        assertThat(credit.isActive()).isFalse();
    }

    @Test
    void shouldNotCountBuffersThatHaveEnded() {
        for (int i = 0; i < 10; i++) {
            credit.add(600);
            credit.remove(600);
        }
        assertThat(credit.isActive()).isFalse();
    }

    @Test
    void shouldLimitBuffersThatCouldExceedItTogetherFromThenOn() {
        credit.add(600);
        credit.add(401);
        assertThat(credit.isActive()).isTrue();
        credit.remove(401);
        assertThat(credit.isActive()).isTrue();
    }

    @Test
    void shouldSurviveCapacitiesWhoseSumOverflows() {
        credit.add(Long.MAX_VALUE);
        credit.add(Long.MAX_VALUE);
        assertThat(credit.isActive()).isTrue();
        credit.remove(Long.MAX_VALUE);
        credit.add(1);
        assertThat(credit.isActive()).isTrue();
    }

    @Test
    void shouldBeUsedUpOnlyBeyondTheLimit() {
        credit.use(500);
        assertThat(credit.isScarce()).isFalse();
        credit.use(1);
        assertThat(credit.isScarce()).isTrue();
        credit.use(499);
        assertThat(credit.isUsedUp()).isFalse();
        credit.use(1);
        assertThat(credit.isUsedUp()).isTrue();
    }

    @Test
    void shouldNotifyEachWaiterOnceWhenAQuarterIsFree() {
        Waiter first = new Waiter();
        Waiter second = new Waiter();
        credit.use(1200);
        credit.await(first);
        credit.await(second);
        credit.await(first);
        credit.use(-449);
        assertThat(List.of(first.count, second.count)).containsExactly(0, 0);
        credit.use(-1);
        assertThat(List.of(first.count, second.count)).containsExactly(1, 1);
        credit.use(-1);
        assertThat(List.of(first.count, second.count)).containsExactly(1, 1);
    }

    @Test
    void shouldNotifyAWaiterThatWaitsAgainWhenItIsNotified() {
        Waiter again = new Waiter() {
            @Override
            protected void onCredit() {
                super.onCredit();
                credit.await(this);
            }
        };
        credit.use(1200);
        credit.await(again);
        credit.use(-1000);
        assertThat(again.count).isEqualTo(1);
        credit.use(-1);
        assertThat(again.count).isEqualTo(2);
    }

    /** Checks that a waiter that checks again after it has started to wait is either notified or finds credit. */
    @Test
    void shouldNotMissAWaiter() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 20_000; round++) {
                ConnectionCredit shared = new ConnectionCredit(LIMIT);
                shared.use(LIMIT + 1);
                CountDownLatch notified = new CountDownLatch(1);
                CreditWaiter waiter = new CreditWaiter() {
                    @Override
                    protected void onCredit() {
                        notified.countDown();
                    }
                };
                Future<?> returning = threads.submit(() -> shared.use(-LIMIT));
                Future<?> waiting = threads.submit(() -> {
                    shared.await(waiter);
                    if (!shared.isUsedUp()) {
                        notified.countDown();
                    }
                });
                returning.get();
                waiting.get();
                assertThat(notified.await(60, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldCountTheUseOfManyThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                long seed = i;
                all.add(threads.submit(() -> {
                    Random random = new Random(seed);
                    long own = 0;
                    for (int j = 0; j < 100_000; j++) {
                        long change = random.nextBoolean() ? random.nextInt(100) : -random.nextLong(own + 1);
                        own += change;
                        credit.use(change);
                    }
                    credit.use(-own);
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
            assertThat(credit.used()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }
}
