package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SlowLayoutTest {
    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        byte[] message = new byte[26];
        SlowLayout.write(0x01020304, 5, 0x0607L, 0x0809L).get(message);
        assertThat(message)
                .containsExactly(17, 1, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 6, 7, 0, 0, 0, 0, 0, 0, 8, 9);
    }

    @Test
    void shouldReadWhatItWritesAndIgnoreWhatFollows() {
        ByteBuffer longer = ByteBuffer.allocate(40)
                .put(SlowLayout.write(-7, Integer.MAX_VALUE, Long.MAX_VALUE, 1))
                .rewind();
        assertThat(RbmqMessage.type(longer)).isEqualTo(RbmqType.SLOW);
        assertThat(SlowLayout.bufferId(longer)).isEqualTo(-7);
        assertThat(SlowLayout.subscriberCount(longer)).isEqualTo(Integer.MAX_VALUE);
        assertThat(SlowLayout.pendingLength(longer)).isEqualTo(Long.MAX_VALUE);
        assertThat(SlowLayout.delayMs(longer)).isEqualTo(1);
    }

    @Test
    void shouldRefuseABodyThatIsTooShort() {
        ByteBuffer cut = SlowLayout.write(1, 1, 1, 1);
        cut.limit(cut.limit() - 1);
        assertThatThrownBy(() -> RbmqMessage.type(cut))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("SLOW has a body of only 23 bytes");
    }

    @Test
    void shouldRefuseANegativeNumberOfSubscribersAndReadOtherNegativeNumbersAs0() {
        ByteBuffer negative = SlowLayout.write(1, -1, -1, -1);
        RbmqMessage.type(negative);
        assertThatThrownBy(() -> SlowLayout.subscriberCount(negative))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("RBMQ protocol violation: SLOW has a negative subscriberCount=-1");
        assertThat(SlowLayout.pendingLength(negative)).isZero();
        assertThat(SlowLayout.delayMs(negative)).isZero();
    }
}
