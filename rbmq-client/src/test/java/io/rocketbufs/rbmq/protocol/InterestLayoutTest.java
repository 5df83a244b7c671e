package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class InterestLayoutTest {
    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        byte[] message = new byte[10];
        InterestLayout.write(0x01020304, 5).get(message);
        assertThat(message).containsExactly(13, 1, 1, 2, 3, 4, 0, 0, 0, 5);
    }

    @Test
    void shouldReadWhatItWritesAndIgnoreWhatFollows() {
        ByteBuffer longer = ByteBuffer.allocate(20)
                .put(InterestLayout.write(-7, Integer.MAX_VALUE))
                .rewind();
        assertThat(RbmqMessage.type(longer)).isEqualTo(RbmqType.INTEREST);
        assertThat(InterestLayout.bufferId(longer)).isEqualTo(-7);
        assertThat(InterestLayout.subscriberCount(longer)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void shouldRefuseABodyThatIsTooShort() {
        ByteBuffer cut = InterestLayout.write(1, 1);
        cut.limit(cut.limit() - 1);
        assertThatThrownBy(() -> RbmqMessage.type(cut))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("INTEREST has a body of only 7 bytes");
    }

    @Test
    void shouldRefuseANegativeNumberOfSubscribers() {
        ByteBuffer negative = InterestLayout.write(1, -1);
        RbmqMessage.type(negative);
        assertThatThrownBy(() -> InterestLayout.subscriberCount(negative))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("RBMQ protocol violation: INTEREST has a negative subscriberCount=-1");
    }
}
