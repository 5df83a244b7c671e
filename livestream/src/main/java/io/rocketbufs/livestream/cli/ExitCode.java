package io.rocketbufs.livestream.cli;

/** What the exit codes mean; scripts depend on them. After SIGTERM the JVM's own code is 143. */
final class ExitCode {
    static final int DONE = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int BAD_CONFIGURATION = 3;
    static final int TRANSPORT_UNAVAILABLE = 69;

    private ExitCode() {}
}
