package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PendingResultsTest {
    @Test
    void shouldKeepResultsThatExceedTheWindow() {
        PendingResults results = new PendingResults(2);
        results.add(9, 900);
        results.add(8, 800);
        assertThat(results.hasRoom()).isFalse();
        assertThat(results.readyCount()).isEqualTo(2);
        assertThat(results.number()).isEqualTo(9);
        assertThat(results.take()).isEqualTo(900);
        for (int i = 0; i < 20; i++) {
            results.add(i, i * 10L);
        }
        assertThat(results.count()).isEqualTo(21);
        assertThat(results.readyCount()).isEqualTo(21);
        assertThat(results.number()).isEqualTo(8);
        assertThat(results.take()).isEqualTo(800);
        for (int i = 0; i < 20; i++) {
            assertThat(results.number()).isEqualTo(i);
            assertThat(results.take()).isEqualTo(i * 10L);
        }
        assertThat(results.isEmpty()).isTrue();
        assertThat(results.hasRoom()).isTrue();
    }
}
