package io.rocketbufs.rocketnet.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class TcpOtherProtocolTest {
    @ParameterizedTest
    @CsvSource({
        "GET / HTTP/1.1, HTTP",
        "POST /x, HTTP",
        "HEAD /x, HTTP",
        "PUT /x, HTTP",
        "OPTIONS *, HTTP",
        "HTTP/1.1 400, HTTP",
        "CONNECT {}, NATS",
        "INFO {}, NATS",
        "-ERR unknown, RESP (Redis)"
    })
    void shouldRecogniseAProtocolOfText(String beginning, String protocol) {
        assertThat(TcpOtherProtocol.of(firstBytes(beginning))).isEqualTo(protocol);
    }

    @Test
    void shouldRecogniseAProtocolOfBytes() {
        assertThat(TcpOtherProtocol.of(0x16030102)).isEqualTo("TLS");
        assertThat(TcpOtherProtocol.of(0x15030300)).isEqualTo("TLS");
        assertThat(TcpOtherProtocol.of(firstBytes("*1\r\n"))).isEqualTo("RESP (Redis)");
        assertThat(TcpOtherProtocol.of(0x101a0004)).isEqualTo("MQTT");
        assertThat(TcpOtherProtocol.of(0x10ac0200)).isEqualTo("MQTT");
    }

    @Test
    void shouldRecogniseNothingInOtherBytes() {
        assertThat(TcpOtherProtocol.of(0)).isNull();
        assertThat(TcpOtherProtocol.of(-1)).isNull();
        assertThat(TcpOtherProtocol.of(0x10101010)).isNull();
        assertThat(TcpOtherProtocol.of(firstBytes("RBUF"))).isNull();
        assertThat(TcpOtherProtocol.of(firstBytes("**\r\n"))).isNull();
    }

    private static int firstBytes(String text) {
        return ByteBuffer.wrap(text.getBytes(ISO_8859_1)).getInt();
    }
}
