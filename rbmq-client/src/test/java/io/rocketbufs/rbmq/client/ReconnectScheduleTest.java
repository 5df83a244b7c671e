package io.rocketbufs.rbmq.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ReconnectScheduleTest {
    private static final ReconnectSettings SETTINGS = new ReconnectSettings(true, 100, 10_000, 0.3, 0);

    private static List<Long> delays(ReconnectSettings settings, double random, int count) {
        ReconnectSchedule schedule = new ReconnectSchedule(settings, () -> random);
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            delays.add(schedule.nextMs(0));
        }
        return delays;
    }

    @Test
    void shouldDoubleTheDelayFromTheFirstToTheLongest() {
        assertThat(delays(SETTINGS, 0.5, 10))
                .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L, 10_000L);
    }

    @Test
    void shouldVaryEachDelayByTheJitter() {
        assertThat(delays(SETTINGS, 0, 3)).containsExactly(70L, 140L, 280L);
        assertThat(delays(SETTINGS, 1, 3)).containsExactly(130L, 260L, 520L);
        assertThat(delays(SETTINGS.withJitter(0), 1, 3)).containsExactly(100L, 200L, 400L);
        assertThat(delays(SETTINGS.withJitter(1), 0, 3)).containsExactly(1L, 1L, 1L);
    }

    @Test
    void shouldNotLetManyClientsComeBackAtOnce() {
        Random random = new Random(1);
        int[] firsts = new int[20];
        int[] fourths = new int[200];
        for (int client = 0; client < 1000; client++) {
            ReconnectSchedule schedule = new ReconnectSchedule(SETTINGS, random::nextDouble);
            long ms = schedule.nextMs(0);
            firsts[(int) (ms / 10)]++;
            for (int attempt = 1; attempt < 4; attempt++) {
                ms += schedule.nextMs(ms);
            }
            fourths[(int) (ms / 10)]++;
        }
        assertThat(IntStream.of(firsts).max().getAsInt())
                .as("first attempts within 10 ms")
                .isLessThan(250);
        assertThat(IntStream.of(fourths).max().getAsInt())
                .as("fourth attempts within 10 ms")
                .isLessThan(60);
    }

    @Test
    void shouldStartOverAfterAConnectionThatLastedForTheLongestDelay() {
        ReconnectSchedule schedule = new ReconnectSchedule(SETTINGS, () -> 0.5);
        schedule.nextMs(0);
        schedule.lost(9_999);
        assertThat(schedule.nextMs(0)).isEqualTo(200);
        schedule.lost(10_000);
        assertThat(schedule.nextMs(0)).isEqualTo(100);
    }

    @Test
    void shouldMakeTheLastAttemptWhenItIsTimeToGiveUp() {
        ReconnectSchedule schedule = new ReconnectSchedule(SETTINGS.withGiveUpAfter(250), () -> 0.5);
        assertThat(schedule.nextMs(0)).isEqualTo(100);
        assertThat(schedule.nextMs(100)).isEqualTo(150);
        assertThat(schedule.nextMs(250)).isEqualTo(-1);
    }

    @Test
    void shouldRejectDelaysThatMakeNoSense() {
        assertThatThrownBy(() -> SETTINGS.withDelays(0, 10)).hasMessageContaining("firstMs=0");
        assertThatThrownBy(() -> SETTINGS.withDelays(20, 10)).hasMessageContaining("longestMs=10");
        assertThatThrownBy(() -> SETTINGS.withGiveUpAfter(-1)).hasMessageContaining("giveUpAfterMs=-1");
        assertThatThrownBy(() -> SETTINGS.withJitter(1.1)).hasMessageContaining("jitter=1.1");
        assertThatThrownBy(() -> SETTINGS.withJitter(Double.NaN)).hasMessageContaining("jitter=NaN");
    }
}
