package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ConnectionNumbersTest {
    private static RdmaMember take(ConnectionNumbers numbers) {
        return numbers.take(new RecordingTarget(), new DirectSink());
    }

    @Test
    void shouldNotReuseANumberBeforeAllOthersAreUsed() {
        ConnectionNumbers numbers = new ConnectionNumbers(1_000);
        for (int i = 0; i < 5_000; i++) {
            RdmaMember member = take(numbers);
            assertThat(member.number()).isEqualTo(1 + i % 1_000);
            numbers.giveBack(member);
        }
        assertThat(numbers.count()).isZero();
    }

    @Test
    void shouldReturnNullWhenAllNumbersAreInUse() {
        ConnectionNumbers numbers = new ConnectionNumbers(3);
        assertThat(take(numbers).number()).isEqualTo(1);
        RdmaMember second = take(numbers);
        assertThat(second.number()).isEqualTo(2);
        assertThat(take(numbers).number()).isEqualTo(3);
        assertThat(take(numbers)).isNull();
        numbers.giveBack(second);
        assertThat(take(numbers).number()).isEqualTo(2);
        assertThat(take(numbers)).isNull();
        numbers.giveBack(second);
        assertThat(numbers.count())
                .as("released twice, and in use by another connection")
                .isEqualTo(3);
    }

    @Test
    void shouldFindOnlyTheMemberWithTheNumber() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int max = 300;
        ConnectionNumbers numbers = new ConnectionNumbers(max);
        Map<Integer, RdmaMember> taken = new HashMap<>();
        ArrayDeque<RdmaMember> order = new ArrayDeque<>();
        for (int i = 0; i < 100_000; i++) {
            if (random.nextInt(100) < 55) {
                RdmaMember member = take(numbers);
                assertThat(member == null).isEqualTo(taken.size() == max);
                if (member != null) {
                    assertThat(taken.put(member.number(), member)).isNull();
                    order.add(member);
                }
            } else if (!order.isEmpty()) {
                RdmaMember member = random.nextBoolean() ? order.removeFirst() : order.removeLast();
                taken.remove(member.number());
                numbers.giveBack(member);
            }
            assertThat(numbers.count()).isEqualTo(taken.size());
            int number = random.nextInt(Contexts.MAX_CONNECTION + 1);
            assertThat(numbers.get(number)).isSameAs(taken.get(number));
            assertThat(numbers.get(number % (max + 1))).isSameAs(taken.get(number % (max + 1)));
        }
    }
}
