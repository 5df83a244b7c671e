package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class UnitsTest {
    @ParameterizedTest
    @CsvSource({"10s,PT10S", "500ms,PT0.5S", "1.5 s,PT1.5S", "2m,PT2M", "1h,PT1H", "7,PT7S", "0s,PT0S"})
    void shouldReadDurations(String text, Duration expected) {
        assertThat(new Units.DurationConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "10x", "1e3s", "99999999999999999999h"})
    void shouldRefuseOtherDurations(String text) {
        assertThatThrownBy(() -> new Units.DurationConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({"512,512", "8KiB,8192", "8k,8192", "1MB,1000000", "16 b,16"})
    void shouldReadLengths(String text, int expected) {
        assertThat(new Units.LengthConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3GiB", "4096MiB", "x"})
    void shouldRefuseOtherLengths(String text) {
        assertThatThrownBy(() -> new Units.LengthConverter().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @ParameterizedTest
    @CsvSource({"512,512", "8 GiB,8589934592", "3gb,3000000000", "4096MiB,4294967296"})
    void shouldReadLongLengths(String text, long expected) {
        assertThat(new Units.LongLengthConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:7610,7610", "[::1]:80,80", "localhost:65535,65535"})
    void shouldReadAddresses(String text, int port) {
        assertThat(new Units.AddressConverter().convert(text).getPort()).isEqualTo(port);
    }

    @Test
    void shouldPointToBracketsWhenAnIpv6AddressHasNone() {
        assertThatThrownBy(() -> new Units.AddressConverter().convert("::1:7610"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("put an IPv6 address in brackets, as in [::1]:7610");
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", ":80", "host:", "host:0", "host:65536", "host:x"})
    void shouldRefuseOtherAddresses(String text) {
        assertThatThrownBy(() -> new Units.AddressConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("HOST:PORT");
    }
}
