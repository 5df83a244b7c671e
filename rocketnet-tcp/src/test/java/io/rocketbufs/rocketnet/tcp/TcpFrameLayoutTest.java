package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TcpFrameLayoutTest {
    @Test
    void shouldEncodeImmediateKindAndLengthAsDocumented() {
        assertThat(TcpFrameLayout.write(0x80000001, 0x3fffffff)).isEqualTo(0x80000001_3fffffffL);
        assertThat(TcpFrameLayout.write(-1, 0)).isEqualTo(0xffffffff_00000000L);
        assertThat(TcpFrameLayout.control(5)).isEqualTo(0x00000000_40000005L);
    }

    @Test
    void shouldDecodeEncodedValues() {
        long header = TcpFrameLayout.write(-7, 262_144);
        assertThat(TcpFrameLayout.immediate(header)).isEqualTo(-7);
        assertThat(TcpFrameLayout.kind(header)).isEqualTo(TcpFrameLayout.WRITE);
        assertThat(TcpFrameLayout.length(header)).isEqualTo(262_144);
        assertThat(TcpFrameLayout.kind(TcpFrameLayout.control(1))).isEqualTo(TcpFrameLayout.CONTROL);
        assertThat(TcpFrameLayout.kind(0x00000000_c0000000L)).isEqualTo(3);
    }
}
