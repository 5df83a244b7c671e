package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class AppendTurnTest {
    private final AppendTurn turn = new AppendTurn();
    private final List<String> called = new ArrayList<>();

    private AppendTurn.Waiter waiter(String name) {
        return new AppendTurn.Waiter() {
            @Override
            void onTurn() {
                called.add(name);
            }
        };
    }

    @Test
    void shouldCallEachWaiterOnceAndInOrder() {
        AppendTurn.Waiter first = waiter("first");
        AppendTurn.Waiter second = waiter("second");
        assertThat(turn.enter(waiter("holder"))).isTrue();
        assertThat(turn.enter(first)).isFalse();
        assertThat(turn.enter(second)).isFalse();
        assertThat(called).isEmpty();
        turn.exit();
        assertThat(called).containsExactly("first", "second");
        assertThat(turn.enter(second)).isTrue();
        assertThat(turn.enter(first)).isFalse();
        turn.exit();
        assertThat(called).containsExactly("first", "second", "first");
    }

    @Test
    void shouldRefuseAppendsAfterClosing() throws Exception {
        assertThat(turn.enter(waiter("holder"))).isTrue();
        CountDownLatch closed = new CountDownLatch(1);
        Thread closing = new Thread(() -> {
            turn.close();
            closed.countDown();
        });
        closing.start();
        assertThat(closed.getCount()).isOne();
        turn.exit();
        closed.await();
        assertThat(turn.enter(waiter("late"))).isFalse();
        assertThat(called).isEmpty();
    }

    @Test
    void shouldExcludeThreadsAndWakeEachOfThem() throws Exception {
        int rounds = 50_000;
        long[] count = new long[1];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                Semaphore woken = new Semaphore(0);
                AppendTurn.Waiter waiter = new AppendTurn.Waiter() {
                    @Override
                    void onTurn() {
                        woken.release();
                    }
                };
                for (int round = 0; round < rounds; round++) {
                    while (!turn.enter(waiter)) {
                        woken.acquireUninterruptibly();
                    }
                    count[0]++;
                    turn.exit();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count[0]).isEqualTo(4L * rounds);
    }

    @Test
    void shouldReportWhetherAnEntryWaits() {
        AppendTurn turn = new AppendTurn();
        assertThat(turn.isAwaited()).isFalse();
        assertThat(turn.tryEnter()).isTrue();
        assertThat(turn.tryEnter()).isFalse();
        assertThat(turn.isAwaited()).isFalse();
        assertThat(turn.enter(new AppendTurn.Waiter() {
                    @Override
                    void onTurn() {
                        // This waiter does not attempt to append.
                    }
                }))
                .isFalse();
        assertThat(turn.isAwaited()).isTrue();
        turn.exit();
        assertThat(turn.isAwaited()).isFalse();
        assertThat(turn.tryEnter()).isTrue();
    }
}
