package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.OffsetDateTime;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MarkerFactory;

final class LogConfigurationTest {
    @ParameterizedTest
    @CsvSource({
        "2026-01-02T00:00:00Z, 2026-01-02T00:00:00.000Z",
        "2026-01-02T03:04:05.678Z, 2026-01-02T03:04:05.678Z",
        "2026-07-02T03:04:05.999999Z, 2026-07-02T03:04:05.999Z",
        "2026-11-22T10:12:01.1+01:00, 2026-11-22T09:12:01.100Z"
    })
    void shouldBeginWithTheDateAndTimeInUtcWithMilliseconds(String instant, String shown) {
        assertThat(line(instant, false)).isEqualTo(shown + " WARN something\n");
    }

    @Test
    void shouldAddTheStackTraceOnlyIfConfigured() {
        assertThat(line("2026-01-02T03:04:05Z", true)).contains("IllegalStateException: why", "\tat ");
        assertThat(line("2026-01-02T03:04:05Z", false)).doesNotContain("why");
    }

    @Test
    void shouldLimitAllLinesButThoseThatAnOperatorCauses() {
        int most = 10 * LogLimit.MAX_LINES_OF_PEER;
        assertThat(IntStream.range(0, most).filter(i -> LogConfiguration.isAdmitted(event(false))))
                .hasSizeBetween(1, most - 1);
        assertThat(IntStream.range(0, most).filter(i -> LogConfiguration.isAdmitted(event(true))))
                .hasSize(most);
    }

    private static LoggingEvent event(boolean isOfOperator) {
        LoggingEvent event = new LoggingEvent();
        event.setTimeStamp(1);
        event.setLevel(Level.WARN);
        event.setMessage("a repeated line");
        if (isOfOperator) {
            event.addMarker(MarkerFactory.getMarker("operator"));
        }
        return event;
    }

    @Test
    void shouldReplaceCharactersThatShowALineAsAnotherOne() {
        LoggingEvent event = new LoggingEvent();
        event.setTimeStamp(1);
        event.setLevel(Level.WARN);
        event.setMessage("Topic \"\u202egnp\u2066\u200f.exe\" joined\r\u2028forged");
        assertThat(LogFormat.TEXT.lines(false).apply(event))
                .endsWith("WARN Topic \"\ufffdgnp\ufffd\ufffd.exe\" joined\ufffd\ufffdforged\n");
    }

    private static String line(String instant, boolean withStack) {
        LoggingEvent event = new LoggingEvent();
        event.setInstant(OffsetDateTime.parse(instant).toInstant());
        event.setLevel(Level.WARN);
        event.setMessage("something");
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("why")));
        return LogFormat.TEXT.lines(withStack).apply(event);
    }
}
