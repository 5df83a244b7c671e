package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rocketbufs.rocketlog.client.ConsumerStart;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class StartConverterTest {
    private static ConsumerStart start(String text) {
        return new StartConverter().convert(text);
    }

    @Test
    void shouldReadWordsOffsetsAndTimes() {
        assertThat(start("earliest")).isEqualTo(ConsumerStart.EARLIEST);
        assertThat(start("latest")).isEqualTo(ConsumerStart.LATEST);
        assertThat(start("0")).isEqualTo(ConsumerStart.at(0));
        assertThat(start("9223372036854775807")).isEqualTo(ConsumerStart.at(Long.MAX_VALUE));
        assertThat(start("@1700000000000")).isEqualTo(ConsumerStart.at(Instant.ofEpochMilli(1_700_000_000_000L)));
        Instant time = Instant.parse("2026-11-27T08:00:00Z");
        assertThat(start("@2026-11-27T08:00:00Z")).isEqualTo(ConsumerStart.at(time));
        assertThat(start("@2026-11-27T09:00:00+01:00")).isEqualTo(ConsumerStart.at(time));
        assertThat(start("@2026-11-27T08:00"))
                .isEqualTo(ConsumerStart.at(LocalDateTime.parse("2026-11-27T08:00:00")
                        .atZone(ZoneId.systemDefault())
                        .toInstant()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "@",
                "Earliest",
                "-1",
                "1.5",
                "9223372036854775808",
                "@99999999999999999999",
                "@-1",
                "@noon",
                "@2026-13-01T00:00:00Z",
                "@+999999999-01-01T00:00:00Z",
                "2026-11-27T08:00:00Z"
            })
    void shouldRefuseOtherText(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> start(text))
                .withMessageContaining("'" + text + "' is not earliest, latest, an offset");
    }
}
