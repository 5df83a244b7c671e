package io.rocketbufs.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * Logs one line per event to standard error: standard output belongs to the program. Found by logback as a service, and
 * used unless {@code -Dlogback.configurationFile} names a file.
 *
 * <p>System properties: {@code log.level}, also set by the option of that name; {@code log.stack} = true adds stack
 * traces.
 *
 * <p>It is a class because reading a file of XML takes 0.15 s of processor time, a third of a whole command that sends
 * one message.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
    private static final String LEVEL = "log.level";
    private static final String STACK = "log.stack";

    /** Made by logback. */
    public LogConfiguration() {}

    /** What is logged at least; one of logback's levels. Without effect when something has been logged already. */
    public static void setLevel(String level) {
        System.setProperty(LEVEL, level);
    }

    /** As {@link #setLevel}, unless a level is set. */
    public static void setDefaultLevel(String level) {
        if (System.getProperty(LEVEL) == null) {
            setLevel(level);
        }
    }

    /** What is set, for a process that shall log the same. */
    public static String level() {
        return System.getProperty(LEVEL, "info");
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        LineLayout layout = new LineLayout(Boolean.getBoolean(STACK));
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("stderr");
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.toLevel(level(), Level.INFO));
        root.addAppender(appender);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Time, level, message; and what was thrown, if that is wanted. */
    static final class LineLayout extends LayoutBase<ILoggingEvent> {
        private final boolean withStack;

        LineLayout(boolean withStack) {
            this.withStack = withStack;
        }

        @Override
        public String doLayout(ILoggingEvent event) {
            LocalTime time = LocalTime.ofInstant(Instant.ofEpochMilli(event.getTimeStamp()), ZoneId.systemDefault());
            StringBuilder line = new StringBuilder()
                    .append(DateTimeFormatter.ISO_LOCAL_TIME.format(time.truncatedTo(ChronoUnit.SECONDS)))
                    .append(' ')
                    .append(event.getLevel())
                    .append(' ')
                    .append(event.getFormattedMessage())
                    .append('\n');
            if (withStack && event.getThrowableProxy() != null) {
                line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
            return line.toString();
        }
    }
}
