package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogConfigurationTest {
    @ParameterizedTest
    @ValueSource(strings = {"2026-01-02T00:00:00Z", "2026-01-02T03:04:00.000Z", "2026-01-02T03:04:00.999Z"})
    void shouldShowTheSecondsOfAFullMinute(String instant) {
        assertThat(line(instant, false)).matches("[0-9]{2}:[0-9]{2}:00 WARN something\n");
    }

    @Test
    void shouldShowTheTimeInWholeSeconds() {
        assertThat(line("2026-01-02T03:04:05.678Z", false)).matches("[0-9]{2}:[0-9]{2}:05 WARN something\n");
    }

    @Test
    void shouldAddTheStackTraceOnlyIfConfigured() {
        assertThat(line("2026-01-02T03:04:05Z", true)).contains("IllegalStateException: why", "\tat ");
        assertThat(line("2026-01-02T03:04:05Z", false)).doesNotContain("why");
    }

    private static String line(String instant, boolean withStack) {
        LoggingEvent event = new LoggingEvent();
        event.setInstant(Instant.parse(instant));
        event.setLevel(Level.WARN);
        event.setMessage("something");
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("why")));
        return new LogConfiguration.LineLayout(withStack).doLayout(event);
    }
}
