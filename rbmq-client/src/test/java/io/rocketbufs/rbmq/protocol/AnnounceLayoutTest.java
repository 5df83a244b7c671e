package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class AnnounceLayoutTest {
    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        assertThat(bytes(AnnounceLayout.write(0x01020304, 0x0506, "t")))
                .containsExactly(1, 1, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 5, 6, 't');
        assertThat(bytes(AnnounceLayout.write(0x01020304, 0x0506, true, "t")))
                .containsExactly(1, 1, 1, 2, 3, 4, 1, 0, 0, 0, 0, 0, 5, 6, 't');
    }

    @Test
    void shouldReadWhatItWrites() {
        for (boolean keepsLast : new boolean[] {true, false}) {
            ByteBuffer message = AnnounceLayout.write(-7, 1L << 40, keepsLast, "prices/eu");
            assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.ANNOUNCE);
            assertThat(AnnounceLayout.bufferId(message)).isEqualTo(-7);
            assertThat(AnnounceLayout.capacity(message)).isEqualTo(1L << 40);
            assertThat(AnnounceLayout.keepsLast(message)).isEqualTo(keepsLast);
            assertThat(AnnounceLayout.topic(message)).isEqualTo("prices/eu");
        }
    }

    @Test
    void shouldReadACapacityThatNoBrokerAcceptsWhenARequestIsUnknown() {
        ByteBuffer message = AnnounceLayout.write(1, 1000, "t");
        message.put(message.position() + 6, (byte) 2);
        RbmqMessage.type(message);
        assertThat(AnnounceLayout.capacity(message)).isEqualTo(1000 | 1L << 57);
        message.put(message.position() + 4, (byte) 0x80);
        assertThat(AnnounceLayout.capacity(message)).isNegative();
    }

    private static byte[] bytes(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}
