package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class WelcomeLayoutTest {
    private static final Welcome WELCOME = new Welcome(1, 2, 0x0102_0304_0506_0708L, 4, 5);

    @Test
    void shouldWriteTheBytesThatTheDocumentDraws() {
        byte[] body = new byte[38];
        WelcomeLayout.write(WELCOME).get(body);
        assertThat(body)
                .containsExactly(
                        12, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0,
                        0, 0, 0, 0, 0, 5);
    }

    @Test
    void shouldReadWhatItWrites() {
        ByteBuffer message = WelcomeLayout.write(WELCOME);
        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.WELCOME);
        assertThat(WelcomeLayout.read(message)).isEqualTo(WELCOME);
    }

    @Test
    void shouldRefuseABodyThatIsTooShort() {
        ByteBuffer cut = WelcomeLayout.write(WELCOME);
        cut.limit(cut.limit() - 1);
        assertThatThrownBy(() -> RbmqMessage.type(cut))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("WELCOME has a body of only 35 bytes");
    }

    @Test
    void shouldLimitTheLongestMessageToTheLongestDelivery() {
        assertThat(Welcome.of(1, 1000).longestMessage()).isEqualTo(996);
        assertThat(Welcome.of(1, Long.MAX_VALUE).longestMessage()).isEqualTo((1 << 30) - 4);
    }
}
