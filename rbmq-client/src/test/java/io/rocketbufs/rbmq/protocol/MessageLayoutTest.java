package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class MessageLayoutTest {
    @Test
    void shouldMarkHeadersWithBit31OfTheLength() {
        assertThat(MessageLayout.HEADERS_FOLLOW).isEqualTo(0x8000_0000);
        assertThat(MessageLayout.hasHeaders(0x8000_0005)).isTrue();
        assertThat(MessageLayout.hasHeaders(-1)).isTrue();
        assertThat(MessageLayout.lengthWithHeaders(0x8000_0005)).isEqualTo(5);
    }

    @Test
    void shouldNeverMarkHeadersInTheLengthOfAMessageWithoutThem() {
        assertThat(MessageLayout.hasHeaders(0)).isFalse();
        assertThat(MessageLayout.hasHeaders(MessageLayout.longest(Long.MAX_VALUE)))
                .isFalse();
    }
}
