package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WaitTimeTest {
    private final WaitTime time = new WaitTime();

    @Test
    void shouldCountWaitsOneAfterTheOther() {
        assertThat(time.add(1000, 200)).isEqualTo(200);
        assertThat(time.add(1100, 100)).isEqualTo(100);
        assertThat(time.add(5000, 50)).isEqualTo(50);
    }

    @Test
    void shouldCountTimeInWhichAPublisherWaitsOnSeveralTopicsOnce() {
        assertThat(time.add(1000, 200)).isEqualTo(200);
        assertThat(time.add(1000, 200)).isZero();
        assertThat(time.add(1050, 100)).isEqualTo(50);
        assertThat(time.add(1040, 500)).isZero();
        assertThat(time.add(1060, 0)).isZero();
    }
}
