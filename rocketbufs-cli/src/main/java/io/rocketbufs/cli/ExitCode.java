package io.rocketbufs.cli;

import io.rocketbufs.rocketnet.TransportException;

/**
 * The exit codes, on which scripts depend. After a signal, the JVM exits with its own code: 130 after Ctrl-C, 143 after
 * SIGTERM.
 */
public final class ExitCode {
    /** The command has succeeded. */
    public static final int DONE = 0;

    /** The command has failed, or has done a part of its work. */
    public static final int FAILED = 1;

    /** The command line is invalid. */
    public static final int USAGE = 2;

    /** The configuration is invalid. */
    public static final int BAD_CONFIGURATION = 3;

    /** There is nothing of the requested kind. */
    public static final int NOTHING_THERE = 4;

    /** A time limit was exceeded. */
    public static final int TIMEOUT = 5;

    /** The server cannot be reached or was lost, or a transport cannot be used on this machine. */
    public static final int UNAVAILABLE = 69;

    /** The server has refused the client or its request. */
    public static final int REFUSED = 77;

    private ExitCode() {}

    /** Returns the exit code for a failure of the network. */
    public static int of(TransportException.Code code) {
        return switch (code) {
            case NO_LISTENER, UNREACHABLE, UNAVAILABLE, PEER_LOST, CLOSED -> UNAVAILABLE;
            case REFUSED -> REFUSED;
            case TIMEOUT -> TIMEOUT;
            case ADDRESS_IN_USE, PROTOCOL, RESOURCES, IO -> FAILED;
        };
    }

    /** Returns true for a code that names a reason, which a command passes on if another program ended with it. */
    static boolean isReason(int code) {
        return switch (code) {
            case USAGE, BAD_CONFIGURATION, NOTHING_THERE, TIMEOUT, UNAVAILABLE, REFUSED -> true;
            default -> false;
        };
    }
}
