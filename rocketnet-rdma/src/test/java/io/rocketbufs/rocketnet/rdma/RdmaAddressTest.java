package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class RdmaAddressTest {
    private static byte[] sockaddr(int family, int port, int ipOffset, String ip, int length) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        bytes.order(ByteOrder.nativeOrder()).putShort((short) family);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort((short) port);
        bytes.put(ipOffset, InetAddress.getByName(ip).getAddress());
        return bytes.array();
    }

    @Test
    void shouldParseAnIpv4Address() throws Exception {
        assertThat(RdmaAddress.of(sockaddr(2, 7612, 4, "192.0.2.200", 16)))
                .isEqualTo(new InetSocketAddress("192.0.2.200", 7612));
    }

    @Test
    void shouldParseAnIpv6Address() throws Exception {
        assertThat(RdmaAddress.of(sockaddr(10, 65535, 8, "2001:db8::1", 28)))
                .isEqualTo(new InetSocketAddress("2001:db8::1", 65535));
    }

    @Test
    void shouldIgnoreExtraBytesAfterTheAddress() throws Exception {
        assertThat(RdmaAddress.of(sockaddr(2, 0, 4, "127.0.0.1", 128)))
                .isEqualTo(new InetSocketAddress("127.0.0.1", 0));
    }

    @Test
    void shouldRefuseAnUnknownAddressFamily() throws Exception {
        assertThatThrownBy(() -> RdmaAddress.of(new byte[16]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the address family is not supported: family=0, but only IPv4 (2) and IPv6 (10) are"
                        + " supported");
    }

    @Test
    void shouldRefuseATruncatedAddress() throws Exception {
        byte[] whole = sockaddr(2, 1, 4, "127.0.0.1", 16);
        for (int length = 0; length < 8; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> RdmaAddress.of(part))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the address is truncated: length=" + length);
        }
    }
}
