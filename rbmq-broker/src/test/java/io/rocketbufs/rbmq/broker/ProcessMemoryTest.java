package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ProcessMemoryTest {
    private long nowMs = Long.MAX_VALUE / 2_000_000;
    private long used = 1000;
    private int measured;
    private final ProcessMemory memory = new ProcessMemory(this::measure, () -> TimeUnit.MILLISECONDS.toNanos(nowMs));

    private long measure() {
        measured++;
        return used;
    }

    @Test
    void shouldMeasureAtMostTenTimesASecond() {
        assertThat(memory.used()).isEqualTo(1000);
        used = 2000;
        nowMs += 99;
        assertThat(memory.used()).isEqualTo(1000);
        assertThat(measured).isEqualTo(1);
        nowMs++;
        assertThat(memory.used()).isEqualTo(2000);
        assertThat(measured).isEqualTo(2);
    }

    @Test
    void shouldReadTheResidentBytes() {
        assertThat(ProcessMemory.resident(List.of("VmPeak:\t  9 kB", "VmRSS:\t  123456 kB", "Threads:\t2")))
                .isEqualTo(123456L << 10);
        assertThat(ProcessMemory.resident(List.of("Threads:\t2"))).isZero();
    }

    @Test
    void shouldMeasureThisProcess() {
        assertThat(new ProcessMemory().used()).isBetween(1L << 20, ProcessMemory.available());
    }
}
