package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

final class LogFormatTest {
    @TempDir
    Path folder;

    @Test
    void shouldWriteOneJsonObjectOnEachLine() {
        String line = LogFormat.JSON
                .lines(false)
                .apply(event(Level.WARN, "Topic \"a\\b\"\nforged\r\u001b[31m\u2028\u202e joined"));
        assertThat(line).endsWith("}\n").doesNotContain("\u2028", "\u202e", "\u001b", "\r");
        assertThat(line.lines()).hasSize(1);
        Config object = parse(line);
        assertThat(object.getLong("timestamp")).isEqualTo(1);
        assertThat(object.getString("level")).isEqualTo("WARN");
        assertThat(object.getString("loggerName")).isEqualTo("io.rocketbufs.Some");
        assertThat(object.getString("threadName")).isEqualTo("worker-0");
        assertThat(object.getString("formattedMessage"))
                .isEqualTo("Topic \"a\\b\"\nforged\r\u001b[31m\ufffd\ufffd joined");
        assertThat(object.root().get("throwable").unwrapped()).isNull();
    }

    @Test
    void shouldContainTheStackTraceOfAnExceptionInJson() {
        LoggingEvent event = event(Level.ERROR, "failed");
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("why", new IOException("cause"))));
        Config exception = parse(LogFormat.JSON.lines(false).apply(event)).getConfig("throwable");
        assertThat(exception.getString("className")).isEqualTo("java.lang.IllegalStateException");
        assertThat(exception.getString("message")).isEqualTo("why");
        assertThat(exception.getString("cause.message")).isEqualTo("cause");
        assertThat(exception.getConfigList("stepArray")).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({"ERROR, <3>", "WARN, <4>", "INFO, <6>", "DEBUG, <7>", "TRACE, <7>"})
    void shouldBeginWithThePriorityInsteadOfTheTimeInTheJournal(String level, String priority) {
        assertThat(LogFormat.JOURNAL.lines(false).apply(event(Level.toLevel(level), "something")))
                .isEqualTo(priority + level + " something\n");
    }

    @Test
    void shouldGiveEachLineOfAnEventItsPriorityInTheJournal() {
        LoggingEvent event = event(Level.WARN, "first\nsecond");
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("why")));
        String lines = LogFormat.JOURNAL.lines(true).apply(event);
        assertThat(lines).contains("<4>second\n<4>java.lang.IllegalStateException: why\n<4>\tat ");
        assertThat(lines.lines()).allMatch(line -> line.matches("<4>.*\\S.*"));
    }

    @ParameterizedTest
    @EnumSource(names = {"TEXT", "JOURNAL"})
    void shouldNotForgeALineWithTheMessageOfAnException(LogFormat format) {
        LoggingEvent event = event(Level.WARN, "failed");
        event.setThrowableProxy(new ThrowableProxy(new IllegalStateException("a\r\u2028\u202eb")));
        assertThat(format.lines(true).apply(event))
                .contains("IllegalStateException: a\ufffd\ufffd\ufffdb\n")
                .matches("(?s).*\\S\n");
    }

    @Test
    void shouldRefuseAnUnknownFormatAsAnOptionOrAProperty() {
        String property = "log.format";
        String before = System.clearProperty(property);
        try {
            parseOptions();
            assertThat(System.getProperty(property)).isNull();
            assertThatThrownBy(() -> parseOptions("--log-format", "jsno"))
                    .isInstanceOf(ParameterException.class)
                    .hasMessageContaining("[TEXT, JOURNAL, JSON]");
            System.setProperty(property, "jsno");
            assertThatThrownBy(LogFormatTest::parseOptions)
                    .isInstanceOf(ParameterException.class)
                    .hasMessageContaining("'--log-format'");
            parseOptions("--log-format", "json");
            assertThat(LogFormat.of(System.getProperty(property), LogFormat.TEXT))
                    .isEqualTo(LogFormat.JSON);
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

    private static void parseOptions(String... arguments) {
        new CommandLine(new ServerOptions())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(arguments);
    }

    @Test
    void shouldRecognizeTheStreamThatSystemdHasOpened() throws IOException {
        Path stream = Files.createFile(folder.resolve("stream"));
        String id = Files.getAttribute(stream, "unix:dev") + ":" + Files.getAttribute(stream, "unix:ino");
        assertThat(LogFormat.isJournal(id, stream)).isTrue();
        assertThat(LogFormat.isJournal(id, Files.createFile(folder.resolve("redirected"))))
                .isFalse();
        assertThat(LogFormat.isJournal(id, folder.resolve("none"))).isFalse();
        assertThat(LogFormat.isJournal("x", stream)).isFalse();
        assertThat(LogFormat.isJournal(null, stream)).isFalse();
    }

    private static Config parse(String json) {
        return ConfigFactory.parseString(json, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    }

    private static LoggingEvent event(Level level, String text) {
        LoggingEvent event = new LoggingEvent();
        event.setTimeStamp(1);
        event.setLevel(level);
        event.setLoggerName("io.rocketbufs.Some");
        event.setThreadName("worker-0");
        event.setMessage(text);
        return event;
    }
}
