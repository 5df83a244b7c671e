package io.rocketbufs.cli;

/** The exit codes, on which scripts depend. After SIGTERM, the JVM exits with its own code, 143. */
public final class ExitCode {
    /** The command has succeeded. */
    public static final int DONE = 0;

    /** The command has failed. */
    public static final int FAILED = 1;

    /** The command line is invalid. */
    public static final int USAGE = 2;

    /** The configuration is invalid. */
    public static final int BAD_CONFIGURATION = 3;

    /** A transport cannot be used on this machine. */
    public static final int TRANSPORT_UNAVAILABLE = 69;

    private ExitCode() {}
}
