package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ConfirmationsTest {
    @Test
    void shouldBeExactWhileFewMessagesAreUnconfirmed() {
        Confirmations confirmations = new Confirmations();
        for (int i = 1; i <= 100; i++) {
            confirmations.published(10L * i, i);
        }
        assertThat(confirmations.countAt(9)).isZero();
        assertThat(confirmations.countAt(10)).isEqualTo(1);
        assertThat(confirmations.countAt(555)).isEqualTo(55);
        assertThat(confirmations.countAt(1000)).isEqualTo(100);
    }

    @Test
    void shouldKeepItsSamplesWhenItGrowsAfterRemovals() {
        Confirmations confirmations = new Confirmations();
        long published = 0;
        long confirmed = 0;
        for (int round = 1; round <= 60; round++) {
            for (int i = 0; i < 5; i++) {
                published++;
                confirmations.published(10 * published, published);
            }
            confirmed += 2;
            assertThat(confirmations.countAt(10 * confirmed)).isEqualTo(confirmed);
        }
        for (; confirmed <= published; confirmed++) {
            assertThat(confirmations.countAt(10 * confirmed)).isEqualTo(confirmed);
        }
    }

    @Test
    void shouldNeverCountTooManyMessagesAndOnlySlightlyTooFew() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            Confirmations confirmations = new Confirmations();
            Deque<Long> onTheirWay = new ArrayDeque<>();
            long position = 0;
            long confirmed = 0;
            long count = 0;
            for (int i = 0; i < 50_000; i++) {
                position += 4 + random.nextInt(60);
                count++;
                onTheirWay.add(position);
                if (confirmations.isFull()) {
                    confirmations.makeRoom(confirmed);
                }
                confirmations.published(position, count);
                if (random.nextInt(5000) == 0) {
                    confirmed += (position - confirmed) / (1 + random.nextInt(4));
                    long limit = confirmed;
                    onTheirWay.removeIf(end -> end <= limit);
                    long truth = count - onTheirWay.size();
                    assertThat(confirmations.countAt(confirmed))
                            .as("seed %d", seed)
                            .isLessThanOrEqualTo(truth)
                            .isGreaterThanOrEqualTo(truth - count / 16 - 1);
                }
            }
        }
    }
}
