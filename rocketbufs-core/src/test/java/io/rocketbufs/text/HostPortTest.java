package io.rocketbufs.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class HostPortTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:7610, 127.0.0.1, 7610",
        "broker:1, broker, 1",
        "a.example:65535, a.example, 65535",
        "[::1]:7610, ::1, 7610",
        "[2001:db8::5]:0, 2001:db8::5, 0",
        "[::ffff:10.0.0.1]:7610, ::ffff:10.0.0.1, 7610",
        "[fe80::1%no-such-interface]:1, fe80::1%no-such-interface, 1"
    })
    void shouldParseAHostAndAPort(String text, String host, int port) {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
        assertThat(HostPort.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7610",
                "broker",
                "broker:",
                ":7610",
                "broker:x",
                "broker:65536",
                "broker:-1",
                "[::1]",
                "[]:1",
                "[broker]:1",
                "[127.0.0.1]:1",
                "[::1:1",
                "]:1",
                "broker: 1",
                "[::g]:1",
                "[.::1]:80",
                "[::1%]:1",
                "[x::1]:1",
                "[::ffff:10.0.0.256]:1"
            })
    void shouldRefuseAnotherForm(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPort.parse(text))
                .withMessageStartingWith("\"" + text + "\" is not HOST:PORT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1:7610", "::1", "2001:db8::5:7610", "fe80::1%eth0:1"})
    void shouldPointToBracketsWhenAnIpv6AddressHasNone(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPort.parse(text))
                .withMessage("\"" + text + "\" is not HOST:PORT; put an IPv6 address in brackets, as in [::1]:7610");
    }

    @ParameterizedTest
    @CsvSource({
        "0:0:0:0:0:0:0:1, ::1",
        "0:0:0:0:0:0:0:0, ::",
        "2001:DB8:0:0:0:0:2:1, 2001:db8::2:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "1:0:0:0:0:0:0:0, 1::",
        "0:0:1:2:3:4:5:6, ::1:2:3:4:5:6"
    })
    void shouldCompressAnIpv6Address(String address, String compressed) throws Exception {
        InetAddress parsed = InetAddress.getByName(address);
        assertThat(HostPort.numeric(parsed)).isEqualTo(compressed);
        assertThat(HostPort.of(new InetSocketAddress(parsed, 7610))).isEqualTo("[" + compressed + "]:7610");
        assertThat(HostPort.numeric(new InetSocketAddress(parsed, 7610))).isEqualTo("[" + compressed + "]:7610");
        assertThat(new HostPort(address, 1)).hasToString("[" + compressed + "]:1");
    }

    @Test
    void shouldShowTheNameOrTheNumberOfAHost() throws Exception {
        InetAddress named = InetAddress.getByAddress("broker", new byte[] {10, 0, 0, 1});
        assertThat(HostPort.of(new InetSocketAddress(named, 1))).isEqualTo("broker:1");
        assertThat(HostPort.numeric(new InetSocketAddress(named, 1))).isEqualTo("10.0.0.1:1");
        assertThat(HostPort.of(InetSocketAddress.createUnresolved("no.such.host", 1)))
                .isEqualTo("no.such.host:1");
        assertThat(HostPort.of(null)).isEqualTo("null");
    }

    @Test
    void shouldShowTheIpv4AddressThatAnIpv6AddressContains() {
        assertThat(new HostPort("0:0:0:0:0:FFFF:a00:1", 1)).hasToString("[::ffff:10.0.0.1]:1");
    }

    @Test
    void shouldKeepTheZoneOfALinkLocalAddress() {
        assertThat(new HostPort("fe80:0:0:0:0:0:0:1%eth0", 1)).hasToString("[fe80::1%eth0]:1");
    }
}
