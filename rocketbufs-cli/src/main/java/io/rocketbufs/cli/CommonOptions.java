package io.rocketbufs.cli;

import java.util.Locale;
import picocli.CommandLine.Option;

/** A mixin with the options of every command: help and the log level. */
public final class CommonOptions {
    @Option(
            names = {"-h", "--help"},
            // Even -h=true must not request help, because it may be a message.
            arity = "0",
            usageHelp = true,
            description = "Shows this help and exits.")
    boolean help;

    /** The log levels of logback. */
    enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /**
     * Sets the log level. The first logger reads the level when it is created, which is after the options have been
     * parsed.
     */
    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description = "Log level: ERROR, WARN, INFO, DEBUG or TRACE. Same as -Dlog.level=LEVEL.")
    void setLevel(Level level) {
        LogConfiguration.setLevel(level.name().toLowerCase(Locale.ROOT));
    }
}
