package io.rocketbufs.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import io.rocketbufs.text.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The formats of log lines. Each is a function from an event to one or more whole lines.
 *
 * <p>No format lets an event imitate the line of another one. Characters that {@link PlainText} replaces are replaced,
 * or, in JSON, escaped.
 */
enum LogFormat {
    /** Human-readable text: time, level, message and, if configured, the stack trace. */
    TEXT,
    /**
     * Text for the systemd journal: each line begins with its priority, as sd-daemon(3) describes it. It does not
     * contain the time, because the journal records it.
     */
    JOURNAL,
    /** One JSON object per line, including the stack trace of an exception. */
    JSON;

    private static final int MILLI_DIGITS = 3;

    /**
     * The format of times: UTC with milliseconds, such as {@code 2026-11-22T09:12:01.123Z}. Lines from several machines
     * can therefore be sorted by time, and no hour is repeated when daylight saving time ends.
     */
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(MILLI_DIGITS).toFormatter();

    /** Returns the format with the given name, ignoring case, or the fallback if no format has this name. */
    static LogFormat of(String name, LogFormat fallback) {
        return Stream.of(values())
                .filter(format -> format.name().equalsIgnoreCase(name))
                .findFirst()
                .orElse(fallback);
    }

    /**
     * Returns the function that formats events.
     *
     * @param withStack whether stack traces follow a line of text
     */
    Function<ILoggingEvent, String> lines(boolean withStack) {
        return switch (this) {
            case TEXT ->
                event -> TIME.format(Instant.ofEpochMilli(event.getTimeStamp())) + ' ' + text(event, withStack);
            case JOURNAL ->
                event -> {
                    String priority = "<" + priority(event.getLevel()) + ">";
                    return priority + text(event, withStack).stripTrailing().replace("\n", "\n" + priority) + '\n';
                };
            case JSON -> json();
        };
    }

    private static Function<ILoggingEvent, String> json() {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMDC(false);
        encoder.setWithMarkers(false);
        encoder.setWithKVPList(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        return event -> PlainText.ofLines(new String(encoder.encode(event), StandardCharsets.UTF_8));
    }

    /**
     * Returns whether an output is the stream to the journal that systemd has opened for a service. A program with the
     * same environment may have another output, such as a terminal.
     *
     * @param journalStream value of the environment variable JOURNAL_STREAM, the device and the inode of the stream;
     *     null if it is not set
     */
    static boolean isJournal(String journalStream, Path output) {
        if (journalStream == null) {
            return false;
        }
        try {
            return journalStream.equals(
                    Files.getAttribute(output, "unix:dev") + ":" + Files.getAttribute(output, "unix:ino"));
        } catch (IOException e) {
            return false;
        }
    }

    private static String text(ILoggingEvent event, boolean withStack) {
        String line = event.getLevel() + " " + event.getFormattedMessage() + '\n';
        return PlainText.ofLines(
                withStack && event.getThrowableProxy() != null
                        ? line + ThrowableProxyUtil.asString(event.getThrowableProxy())
                        : line);
    }

    private static int priority(Level level) {
        return switch (level.toInt()) {
            case Level.ERROR_INT -> 3;
            case Level.WARN_INT -> 4;
            case Level.INFO_INT -> 6;
            default -> 7;
        };
    }
}
