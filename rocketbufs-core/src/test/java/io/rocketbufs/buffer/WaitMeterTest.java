package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class WaitMeterTest {
    private static final long CAPACITY = 4000;
    private static final long QUARTER = 1000;

    private final WaitMeter meter = new WaitMeter(CAPACITY);

    @Test
    void shouldCountTheTimeBetweenTwoSamplesInWhichTheProducerWaits() {
        assertThat(meter.sample(500, 0, true)).isZero();
        assertThat(meter.isWaiting()).isTrue();
        assertThat(meter.sample(500, 0, true)).isEqualTo(500);
        assertThat(meter.sample(100, 0, true)).isEqualTo(100);
    }

    @Test
    void shouldCountNothingWhileTheProducerDoesNotWait() {
        assertThat(meter.sample(500, 0, true)).isZero();
        assertThat(meter.sample(500, 0, false)).isZero();
        assertThat(meter.sample(500, 0, false)).isZero();
        assertThat(meter.sample(500, 0, true)).isZero();
        assertThat(meter.sample(500, 0, true)).isEqualTo(500);
    }

    @Test
    void shouldCountTheTimeWithAReaderThatCrawls() {
        meter.sample(500, 0, true);
        assertThat(meter.sample(500, QUARTER, true)).isEqualTo(500);
        assertThat(meter.sample(500, 6 * QUARTER, true)).isEqualTo(500);
    }

    @Test
    void shouldCountNothingWithAReaderThatFreesTheBufferQuicklyAlthoughTheProducerIsFaster() {
        long position = 0;
        meter.sample(500, position, true);
        for (int i = 0; i < 10; i++) {
            position += 6 * QUARTER;
            assertThat(meter.sample(500, position, true)).isZero();
        }
    }

    @Test
    void shouldNotCountTimeThatMustNotCountButContinueAfterIt() {
        meter.sample(100, 0, true);
        assertThat(meter.sample(0, 0, true)).isZero();
        assertThat(meter.sample(0, QUARTER, true)).isZero();
        assertThat(meter.sample(100, QUARTER, true)).isEqualTo(100);
    }

    @Test
    void shouldWorkWithTheSmallestAndTheLargestBuffer() {
        WaitMeter smallest = new WaitMeter(1);
        smallest.sample(500, 0, true);
        assertThat(smallest.sample(500, 0, true)).isEqualTo(500);
        assertThat(smallest.sample(500, 100, true)).isZero();
        WaitMeter largest = new WaitMeter(Long.MAX_VALUE);
        largest.sample(500, 0, true);
        assertThat(largest.sample(500, Long.MAX_VALUE - 1, true)).isEqualTo(500);
    }
}
