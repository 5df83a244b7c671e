package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SequenceBasesTest {
    private final AtomicLong clockMs = new AtomicLong(1_795_000_000_000L);

    @Test
    void shouldBeginHigherAfterARestartOfTheRelay() {
        long before = new SequenceBases(clockMs::get).begin();
        // Before the restart, the source pushed a single chunk of two seconds.
        clockMs.addAndGet(2000);

        assertThat(new SequenceBases(clockMs::get).begin()).isGreaterThan(before + 1);
    }

    @Test
    void shouldBeginAfterALifeThatWasFasterThanTheClock() {
        SequenceBases bases = new SequenceBases(clockMs::get);
        long base = bases.begin();
        bases.end(base + 1000);
        clockMs.addAndGet(2000);

        assertThat(bases.begin()).isEqualTo(base + 1000);
    }

    @Test
    void shouldFitInto31BitsFor60Years() {
        long year2080 = 3_471_292_800L;
        assertThat(new SequenceBases(() -> year2080 * 1000).begin()).isBetween(1L, (long) Integer.MAX_VALUE);
        assertThat(new SequenceBases(() -> 0).begin()).isZero();
    }
}
