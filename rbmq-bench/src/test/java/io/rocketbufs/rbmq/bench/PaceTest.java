package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PaceTest {
    @Test
    void shouldKeepTheRateExactlyWhenItDoesNotDivideASecond() {
        Pace pace = new Pace(30_007);
        long begin = pace.dueNs();
        for (int i = 0; i < 30_007; i++) {
            pace.advance();
        }
        assertThat(pace.dueNs() - begin).isEqualTo(1_000_000_000);
    }

    @Test
    void shouldNotReturnBeforeAMessageIsDue() {
        Pace pace = new Pace(500);
        for (int i = 0; i < 10; i++) {
            while (!pace.awaitDue()) {
                Thread.onSpinWait();
            }
            assertThat(System.nanoTime() - pace.dueNs()).isNotNegative();
            pace.advance();
        }
    }

    @Test
    void shouldKeepTheOriginalDueTimesWhenTheSenderIsLate() {
        Pace pace = new Pace(1000);
        long begin = pace.dueNs();
        while (System.nanoTime() - begin < 20_000_000) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < 10; i++) {
            assertThat(pace.awaitDue()).isTrue();
            assertThat(pace.dueNs() - begin).isEqualTo(i * 1_000_000L);
            pace.advance();
        }
    }
}
