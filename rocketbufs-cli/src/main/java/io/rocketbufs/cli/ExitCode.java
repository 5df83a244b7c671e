package io.rocketbufs.cli;

/** What the exit codes mean; scripts depend on them. After SIGTERM the JVM's own code is 143. */
public final class ExitCode {
    /** What was asked for is done. */
    public static final int DONE = 0;

    /** It could not be done. */
    public static final int FAILED = 1;

    /** The command line is wrong. */
    public static final int USAGE = 2;

    /** The configuration is wrong. */
    public static final int BAD_CONFIGURATION = 3;

    /** A transport cannot be used on this machine. */
    public static final int TRANSPORT_UNAVAILABLE = 69;

    private ExitCode() {}
}
