package io.rocketbufs.livestream.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SteadyClockTest {
    @Test
    void shouldNotFollowChangesOfTheSystemClock() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5_000_000);
        SteadyClock clock = new SteadyClock(1_000_000, nanos::get);
        assertThat(clock.millis()).isEqualTo(1_000_000);

        nanos.addAndGet(7_500_000_000L);

        assertThat(clock.millis()).isEqualTo(1_007_500);
    }
}
