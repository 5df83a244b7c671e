package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ConnectionNumbersTest {
    @Test
    void shouldNotLendANumberAgainBeforeAllOthers() {
        ConnectionNumbers numbers = new ConnectionNumbers(1_000);
        for (int i = 0; i < 5_000; i++) {
            int number = numbers.take();
            assertThat(number).isEqualTo(1 + i % 1_000);
            numbers.giveBack(number);
        }
        assertThat(numbers.count()).isZero();
    }

    @Test
    void shouldHaveNoneWhenAllAreTaken() {
        ConnectionNumbers numbers = new ConnectionNumbers(3);
        assertThat(new int[] {numbers.take(), numbers.take(), numbers.take(), numbers.take()})
                .containsExactly(1, 2, 3, 0);
        numbers.giveBack(2);
        assertThat(numbers.take()).isEqualTo(2);
        assertThat(numbers.take()).isZero();
        assertThat(numbers.count()).isEqualTo(3);
    }

    @Test
    void shouldNeverLendANumberTwiceAtATime() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        ConnectionNumbers numbers = new ConnectionNumbers(100);
        Set<Integer> taken = new HashSet<>();
        ArrayDeque<Integer> order = new ArrayDeque<>();
        for (int i = 0; i < 100_000; i++) {
            if (random.nextInt(100) < 55) {
                int number = numbers.take();
                assertThat(number == 0).isEqualTo(taken.size() == 100);
                if (number != 0) {
                    assertThat(taken.add(number)).isTrue();
                    order.add(number);
                }
            } else if (!order.isEmpty()) {
                int number = random.nextBoolean() ? order.removeFirst() : order.removeLast();
                taken.remove(number);
                numbers.giveBack(number);
            }
            assertThat(numbers.count()).isEqualTo(taken.size());
        }
    }
}
