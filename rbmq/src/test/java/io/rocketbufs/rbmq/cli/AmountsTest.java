package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class AmountsTest {
    @Test
    void shouldShowAmountsInFewCharacters() {
        assertThat(Amounts.bytes(0)).isEqualTo("0 B");
        assertThat(Amounts.bytes(999)).isEqualTo("999 B");
        assertThat(Amounts.bytes(1000)).isEqualTo("1.0 kB");
        assertThat(Amounts.bytes(999_949)).isEqualTo("999.9 kB");
        assertThat(Amounts.bytes(999_950)).isEqualTo("1.0 MB");
        assertThat(Amounts.bytes(Long.MAX_VALUE)).isEqualTo("9.2 EB");
        assertThat(Amounts.bytes(-5)).isEqualTo("-5 B");
        assertThat(Amounts.duration(8_240)).isEqualTo("8.2 s");
        assertThat(Amounts.duration(3_599_000)).isEqualTo("59 min");
        assertThat(Amounts.duration(7_260_000)).isEqualTo("2 h 1 min");
        assertThat(Amounts.duration(273_600_000)).isEqualTo("3 d 4 h");
    }
}
