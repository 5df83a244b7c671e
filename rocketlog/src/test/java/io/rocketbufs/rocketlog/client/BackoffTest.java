package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BackoffTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldPollAgainAtOnceAndThenAfterAnEighthOfTheSilence() {
        Backoff backoff = new Backoff(0, 200, 5000 * MS);
        assertThat(backoff.delayNs(5000 * MS)).isZero();
        assertThat(backoff.delayNs(5000 * MS + 100_000)).isZero();
        assertThat(backoff.delayNs(5001 * MS)).isEqualTo(MS / 8);
        assertThat(backoff.delayNs(5800 * MS)).isEqualTo(100 * MS);
        assertThat(backoff.delayNs(9000 * MS)).isEqualTo(200 * MS);
        backoff.reset(9000 * MS);
        assertThat(backoff.delayNs(9000 * MS)).isZero();
    }

    @Test
    void shouldTreatASilenceAsLongUntilTheNextRecord() {
        Backoff backoff = new Backoff(100, 200, 5000 * MS);
        assertThat(backoff.isLong(5099 * MS)).isFalse();
        assertThat(backoff.isLong(5100 * MS)).isTrue();
        backoff.reset(9000 * MS);
        assertThat(backoff.isLong(9099 * MS)).isFalse();
    }

    @Test
    void shouldPollRarelyDuringALongSilence() {
        Backoff backoff = new Backoff(0, 200, 0);
        long now = 60_000 * MS;
        int looks = 0;
        for (; now < 120_000 * MS; looks++) {
            now += backoff.delayNs(now);
        }
        assertThat(looks).isEqualTo(300);
    }
}
