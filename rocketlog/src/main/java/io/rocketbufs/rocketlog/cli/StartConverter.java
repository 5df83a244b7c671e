package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.rocketlog.client.ConsumerStart;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A converter for option values that specify a start: {@code earliest}, {@code latest}, an offset, or {@code @}
 * followed by a time.
 */
final class StartConverter implements ITypeConverter<ConsumerStart> {
    private static final String EARLIEST = "earliest";
    private static final String LATEST = "latest";

    /** The values that shell completion offers. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of(EARLIEST, LATEST).iterator();
        }
    }

    @Override
    public ConsumerStart convert(String text) {
        try {
            return switch (text) {
                case EARLIEST -> ConsumerStart.EARLIEST;
                case LATEST -> ConsumerStart.LATEST;
                default ->
                    text.startsWith("@")
                            ? ConsumerStart.at(time(text.substring(1)))
                            : ConsumerStart.at(Long.parseLong(text));
            };
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new TypeConversionException(
                    "'" + text + "' is not earliest, latest, an offset such as 1000, or a time"
                            + " such as @2026-11-27T08:00:00Z or @1700000000000");
        }
    }

    private static Instant time(String text) {
        if (text.chars().allMatch(each -> each >= '0' && each <= '9')) {
            return Instant.ofEpochMilli(Long.parseLong(text));
        }
        TemporalAccessor parsed =
                DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from, LocalDateTime::from);
        return parsed instanceof LocalDateTime local
                ? local.atZone(ZoneId.systemDefault()).toInstant()
                : Instant.from(parsed);
    }
}
