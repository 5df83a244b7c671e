package io.rocketbufs.cli;

import java.util.Locale;
import picocli.CommandLine.Option;

/** The options of every command, as a mixin: help, and how much is logged. */
public final class CommonOptions {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this and does nothing else.")
    boolean help;

    /** What logback knows. */
    enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Read when the first logger is made, which is after the options have been read. */
    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description = "ERROR, WARN, INFO, DEBUG or TRACE; or -Dlog.level=LEVEL.")
    void setLevel(Level level) {
        LogConfiguration.setLevel(level.name().toLowerCase(Locale.ROOT));
    }
}
