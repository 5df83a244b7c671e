package io.rocketbufs.cli;

import io.rocketbufs.rocketnet.TransportException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The exit codes of all commands; scripts depend on them. After a signal, the JVM chooses the exit code: 130 after
 * Ctrl-C, 143 after SIGTERM.
 */
public final class ExitCode {
    /** The command succeeded. */
    public static final int DONE = 0;

    /** The command failed, or completed only part of its work. */
    public static final int FAILED = 1;

    /** The command line is invalid. */
    public static final int USAGE = 2;

    /** The configuration is invalid. */
    public static final int BAD_CONFIGURATION = 3;

    /** The command found nothing to work on: for example, the edge has no streams, or a topic has no responder. */
    public static final int NOTHING_THERE = 4;

    /** A time limit was exceeded. */
    public static final int TIMEOUT = 5;

    /**
     * The server cannot be reached or does not currently accept connections, the connection to it was lost, or a
     * transport cannot be used on this machine.
     */
    public static final int UNAVAILABLE = 69;

    /** The server refused the client or its request. */
    public static final int REFUSED = 77;

    /** The meanings of all codes, as listed for users in docs/reference/exit-codes.md. */
    static final Map<Integer, String> MEANINGS = new TreeMap<>(Map.of(
            DONE,
            "The command has succeeded.",
            FAILED,
            "The command has failed, or has done only a part of its work.",
            USAGE,
            "The command line is invalid.",
            BAD_CONFIGURATION,
            "The configuration is invalid.",
            NOTHING_THERE,
            "There is nothing of the requested kind.",
            TIMEOUT,
            "A time limit was exceeded.",
            UNAVAILABLE,
            "The server cannot be reached, accepts no connection at the moment, or was lost; or a transport"
                    + " cannot be used on this machine.",
            REFUSED,
            "The server has refused the client or its request.",
            130,
            "Ctrl-C has ended the command.",
            143,
            "SIGTERM has ended the command."));

    private ExitCode() {}

    /** Returns the exit code for a transport failure. */
    public static int of(TransportException.Code code) {
        return switch (code) {
            case NO_LISTENER, UNREACHABLE, UNAVAILABLE, PEER_LOST, CLOSED -> UNAVAILABLE;
            case REFUSED -> REFUSED;
            case TIMEOUT -> TIMEOUT;
            case ADDRESS_IN_USE, PROTOCOL, RESOURCES, IO -> FAILED;
        };
    }

    /**
     * Returns whether the code states why a program failed. A command that started the program then exits with the same
     * code.
     */
    static boolean isReason(int code) {
        return switch (code) {
            case USAGE, BAD_CONFIGURATION, NOTHING_THERE, TIMEOUT, UNAVAILABLE, REFUSED -> true;
            default -> false;
        };
    }
}
