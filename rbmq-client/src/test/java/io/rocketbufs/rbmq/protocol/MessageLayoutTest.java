package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class MessageLayoutTest {
    @Test
    void shouldReserveBit31OfTheLengthForHeaders() {
        assertThat(MessageLayout.HEADERS_FOLLOW).isEqualTo(0x8000_0000);
        assertThat(MessageLayout.hasReservedBit(MessageLayout.HEADERS_FOLLOW | 5))
                .isTrue();
        assertThat(MessageLayout.hasReservedBit(-1)).isTrue();
    }

    @Test
    void shouldNeverSetTheReservedBitInTheLengthOfAMessage() {
        assertThat(MessageLayout.hasReservedBit(0)).isFalse();
        assertThat(MessageLayout.hasReservedBit(MessageLayout.longest(Long.MAX_VALUE)))
                .isFalse();
    }
}
