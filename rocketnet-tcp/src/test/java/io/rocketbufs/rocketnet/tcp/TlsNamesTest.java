package io.rocketbufs.rocketnet.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.contract.TlsFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class TlsNamesTest {
    private final TlsNames names = names("elsewhere");

    private static TlsNames names(String certificate) {
        return TlsNames.of(TlsTrust.certificates(TlsFiles.file(certificate + ".pem"))
                .iterator()
                .next());
    }

    @ParameterizedTest
    @ValueSource(strings = {"broker.example", "BROKER.Example.", "x.brokers.example", "192.0.2.1", "::ffff:192.0.2.1"})
    void shouldIncludeTheHostsInTheCertificate(String host) {
        assertThat(names.include(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost", // the common name, which is ignored
                "brokers.example",
                ".brokers.example",
                "a.b.brokers.example",
                "x.broker.example",
                "broker.example.org",
                "192.0.2.10",
                "2.0.192.1",
                "999.0.2.1",
                "::1",
                ""
            })
    void shouldNotIncludeOtherHosts(String host) {
        assertThat(names.include(host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "::1", "0:0:0:0:0:0:0:1", "::1%1"})
    void shouldCompareAddressesRegardlessOfTheirForm(String host) {
        assertThat(names("server").include(host)).isTrue();
    }

    @Test
    void shouldIncludeNoHostWithoutAlternativeNames() {
        assertThat(names("edge1").include("edge1")).isFalse();
        assertThat(names("edge1")).hasToString("no host");
        assertThat(names).hasToString("broker.example, *.brokers.example, 192.0.2.1");
    }
}
