package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.out.SlowEpisode.Change;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SlowEpisodeTest {
    private final SlowEpisode episode = new SlowEpisode();

    private Change blocked(long ms) {
        return episode.advance(ms, ms, 7);
    }

    private Change free(long ms) {
        return episode.advance(ms, 0, 0);
    }

    @Test
    void shouldBeginWhenTheProducerHasWaitedFor200Ms() {
        assertThat(blocked(199)).isEqualTo(Change.NONE);
        assertThat(episode.isSlow()).isFalse();
        assertThat(blocked(1)).isEqualTo(Change.BEGAN);
        assertThat(episode.isSlow()).isTrue();
        assertThat(blocked(500)).isEqualTo(Change.NONE);
        assertThat(episode.episodeMs()).isEqualTo(700);
        assertThat(episode.delayMs()).isEqualTo(700);
    }

    @Test
    void shouldNotAddUpShortWaits() {
        for (int i = 0; i < 100; i++) {
            assertThat(blocked(199)).isEqualTo(Change.NONE);
            assertThat(free(1)).isEqualTo(Change.NONE);
        }
        assertThat(episode.isSlow()).isFalse();
        assertThat(episode.totalDelayMs()).isZero();
    }

    @Test
    void shouldLearnNothingFromASampleWhoseTimeDoesNotCount() {
        blocked(500);
        assertThat(free(0)).isEqualTo(Change.NONE);
        assertThat(episode.isDelaying()).isTrue();
        free(100);
        assertThat(episode.isDelaying()).isFalse();
        assertThat(episode.isSlow()).isTrue();
    }

    @Test
    void shouldEndWhenTheProducerHasNotWaitedFor1S() {
        blocked(500);
        assertThat(free(999)).isEqualTo(Change.NONE);
        assertThat(episode.isSlow()).isTrue();
        assertThat(free(1)).isEqualTo(Change.ENDED);
        assertThat(episode.isSlow()).isFalse();
        assertThat(episode.episodeMs()).isEqualTo(1500);
        assertThat(episode.delayMs()).isEqualTo(500);
        assertThat(free(5000)).isEqualTo(Change.NONE);
        assertThat(episode.episodeMs()).isEqualTo(1500);
    }

    @Test
    void shouldContinueAfterAPauseOfLessThan1S() {
        blocked(500);
        for (int i = 0; i < 10; i++) {
            assertThat(free(900)).isEqualTo(Change.NONE);
            assertThat(blocked(50)).isEqualTo(Change.NONE);
        }
        assertThat(episode.delayMs()).isEqualTo(1000);
        assertThat(episode.episodeMs()).isEqualTo(10_000);
    }

    @Test
    void shouldMeasureEachEpisodeSeparatelyAndAddUpTheTotal() {
        blocked(500);
        free(1000);
        assertThat(blocked(200)).isEqualTo(Change.BEGAN);
        assertThat(episode.delayMs()).isEqualTo(200);
        assertThat(episode.totalDelayMs()).isEqualTo(700);
    }

    @Test
    void shouldEndOnceWithTheSubscription() {
        assertThat(episode.end()).isEqualTo(Change.NONE);
        blocked(150);
        assertThat(episode.end()).isEqualTo(Change.NONE);
        blocked(500);
        assertThat(episode.end()).isEqualTo(Change.ENDED);
        assertThat(episode.end()).isEqualTo(Change.NONE);
        assertThat(episode.delayMs()).isEqualTo(500);
    }

    @Test
    void shouldRememberTheWorstLagOfAnEpisode() {
        episode.advance(500, 500, 30);
        episode.advance(500, 500, 90);
        episode.advance(500, 500, 60);
        assertThat(episode.worstPendingLength()).isEqualTo(90);
        free(1000);
        assertThat(episode.worstPendingLength()).isEqualTo(90);
        episode.advance(500, 500, 20);
        assertThat(episode.worstPendingLength()).isEqualTo(20);
    }

    @Test
    void shouldAlternateBetweenBeginningAndEndHoweverTheWaitsFollowEachOther() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        boolean slow = false;
        long total = 0;
        long suspect = 0;
        for (int i = 0; i < 100_000; i++) {
            long ms = 1 + random.nextInt(700);
            boolean waited = random.nextInt(3) == 0;
            Change change = waited ? blocked(ms) : free(ms);
            assertThat(change).as("seed %d step %d", seed, i).isNotEqualTo(slow ? Change.BEGAN : Change.ENDED);
            slow = change == Change.NONE ? slow : change == Change.BEGAN;
            assertThat(episode.isSlow()).isEqualTo(slow);
            suspect = waited ? suspect + ms : 0;
            if (slow) {
                total += suspect;
                suspect = 0;
            }
        }
        assertThat(episode.totalDelayMs()).isEqualTo(total);
    }
}
