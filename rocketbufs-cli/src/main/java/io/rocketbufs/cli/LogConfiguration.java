package io.rocketbufs.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.rocketbufs.text.PlainText;
import java.nio.file.Path;
import java.util.function.Function;
import org.slf4j.LoggerFactory;

/**
 * The logback configuration: one line per event on standard error, because standard output belongs to the program.
 * logback finds this class as a service and uses it unless {@code -Dlogback.configurationFile} names a file.
 *
 * <p>A logging thread does not wait for standard error; see {@link LogLines}. logback's {@code AsyncAppender} is not
 * used, because it does not count dropped events, and a command could not wait for its last lines to be written.
 *
 * <p>{@link LogFormat} replaces characters that a client's name could use to imitate another line, for all modules and
 * libraries; see {@link PlainText}. Line feeds and tabs are kept, because a message may have several lines. Therefore,
 * code that logs text from a peer first passes it through {@link PlainText#of(String)}.
 *
 * <p>There are three system properties: {@code log.level}, which {@code --log-level} also sets, {@code log.format},
 * which a server's {@code --log-format} also sets, and {@code log.stack}, which adds stack traces if true.
 *
 * <p>The configuration is a class rather than an XML file, because reading XML takes 0.15 s of processor time. This is
 * a third of the total for a command that sends one message.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
    private static final String LEVEL = "log.level";
    /**
     * Name of the property that contains the default level, which applies if {@code log.level} is not set. It is a
     * property so that all levels are stored in the same way.
     */
    private static final String DEFAULT_LEVEL = "log.level.default";

    private static final String FILE = "logback.configurationFile";
    private static final String STACK = "log.stack";
    private static final String FORMAT = "log.format";
    /** Maximum number of waiting lines, about 100 KB. This is enough for a burst of connections. */
    private static final int MAX_WAITING_LINES = 1024;

    private static final long FLUSH_MS = 1000;
    /** Static, because the process has only one standard error. */
    private static final LogLines LINES =
            new LogLines(System.err::print, MAX_WAITING_LINES, LogConfiguration::droppedNote);

    private static final LogLimit LIMIT = new LogLimit();

    /** The format of all lines. Created with the first line, which is after the options have been parsed. */
    private static final class Formatter {
        static final Function<ILoggingEvent, String> INSTANCE = create();

        private static Function<ILoggingEvent, String> create() {
            LogFormat automatic = LogFormat.isJournal(System.getenv("JOURNAL_STREAM"), Path.of("/proc/self/fd/2"))
                    ? LogFormat.JOURNAL
                    : LogFormat.TEXT;
            return LogFormat.of(System.getProperty(FORMAT), automatic).lines(Boolean.getBoolean(STACK));
        }
    }

    /** Creates the configuration. Called by logback. */
    public LogConfiguration() {}

    /**
     * Sets the lowest level that is logged, which is one of logback's levels. Has no effect after the first line has
     * been logged.
     */
    public static void setLevel(String level) {
        System.setProperty(LEVEL, level);
    }

    /** Sets the format of lines. Has no effect after the first line has been logged. */
    static void setFormat(LogFormat format) {
        System.setProperty(FORMAT, format.name());
    }

    /** Sets the default level, which applies unless a level is set explicitly. Only the first call has an effect. */
    public static void setDefaultLevel(String level) {
        if (System.getProperty(DEFAULT_LEVEL) == null) {
            System.setProperty(DEFAULT_LEVEL, level);
        }
    }

    /** Returns the level that {@link #setLevel} or the user has set, or null if only the default level applies. */
    public static String explicitLevel() {
        return System.getProperty(LEVEL);
    }

    /**
     * Replaces the default level at any time. Has no effect if a level is set explicitly or if logback uses a
     * configuration file.
     */
    public static void changeDefaultLevel(String level) {
        System.setProperty(DEFAULT_LEVEL, level);
        if (explicitLevel() == null
                && System.getProperty(FILE) == null
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.toLevel(level, Level.INFO));
        }
    }

    /** Returns the current level, which can be passed to a child process. */
    public static String level() {
        return System.getProperty(LEVEL, System.getProperty(DEFAULT_LEVEL, "info"));
    }

    /**
     * Waits until all logged lines have been written, but for at most 1 s, because standard error may be a pipe that is
     * not read.
     */
    public static void flush() {
        addSummaries(System.currentTimeMillis());
        LINES.flush(FLUSH_MS);
    }

    /**
     * Returns whether to log an event. Events below INFO are not limited, because users set such a level to see every
     * line. Events with a marker are not limited either, because an operator causes them, not a client.
     */
    static boolean isAdmitted(ILoggingEvent event) {
        if (!event.getLevel().isGreaterOrEqual(Level.INFO) || event.getMarkerList() != null) {
            return true;
        }
        synchronized (LIMIT) {
            if (LIMIT.isOver(event.getTimeStamp())) {
                addSummaries(event.getTimeStamp());
            }
            return LIMIT.admits(event.getMessage(), event.getFormattedMessage());
        }
    }

    private static void addSummaries(long timeMs) {
        synchronized (LIMIT) {
            LIMIT.start(timeMs).forEach(summary -> LINES.add(note(timeMs, summary)));
        }
    }

    private static String droppedNote(int count) {
        return note(System.currentTimeMillis(), count + " log lines were dropped: standard error was blocked");
    }

    private static String note(long timeMs, String text) {
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName(LogConfiguration.class.getName());
        event.setLevel(Level.WARN);
        event.setTimeStamp(timeMs);
        event.setMessage(text);
        return Formatter.INSTANCE.apply(event);
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(FILE) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (isAdmitted(event)) {
                    LINES.add(Formatter.INSTANCE.apply(event));
                }
            }
        };
        appender.setContext(context);
        appender.setName("stderr");
        appender.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(level(), Level.INFO));
        root.addAppender(appender);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
