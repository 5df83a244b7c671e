package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void shouldWriteAndReadAnInbox() {
        String inbox = "$R/0123456789abcdef0123456789abcdef";
        ByteBuffer message = WelcomeLayout.write(WELCOME.withInbox(inbox));
        byte[] end = new byte[35];
        message.get(38, end);
        assertThat(message.remaining()).isEqualTo(38 + 35);
        assertThat(end).isEqualTo(inbox.getBytes(US_ASCII));
        RbmqMessage.type(message);
        assertThat(WelcomeLayout.read(message)).isEqualTo(WELCOME.withInbox(inbox));
        message.limit(message.limit() - 1);
        assertThat(WelcomeLayout.read(message)).isEqualTo(WELCOME);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0123456789abcdef0123456789abcdef...", "$R/0123456789abcdef0123456789abcde#"})
    void shouldIgnoreOtherBytesInThePlaceOfTheInbox(String other) {
        ByteBuffer message = WelcomeLayout.write(WELCOME.withInbox(other));
        RbmqMessage.type(message);
        assertThat(WelcomeLayout.read(message)).isEqualTo(WELCOME);
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
