package io.rocketbufs.text;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The reason for a failure, in words that users understand, without the names of Java classes and functions. */
public final class Reason {
    /** Netty's message for a failed system call. */
    private static final Pattern SYSTEM_CALL = Pattern.compile("\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): (.*)");

    private static final String DENIED = "permission denied";
    /** The first unprivileged port by default; sysctl net.ipv4.ip_unprivileged_port_start may change it. */
    private static final int FIRST_UNPRIVILEGED_PORT = 1024;

    private Reason() {}

    /** Returns the reason, which is never empty and does not name the file or address concerned. */
    public static String of(Throwable failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return DENIED;
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "the file exists";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a directory";
        }
        if (failure instanceof FileSystemException system) {
            // The message starts with the file's name.
            return system.getReason() == null ? ofClass(failure.getClass()) : system.getReason();
        }
        if (failure instanceof ClosedChannelException) {
            return "the connection is closed";
        }
        if (failure instanceof UnknownHostException) {
            return "unknown host";
        }
        return ofText(failure);
    }

    /** Returns the reason why a process may not listen on a port, with the remedy if there is one. */
    public static String ofDeniedPort(int port) {
        return port < FIRST_UNPRIVILEGED_PORT
                ? DENIED + "; ports below " + FIRST_UNPRIVILEGED_PORT + " need CAP_NET_BIND_SERVICE"
                : DENIED;
    }

    private static String ofText(Throwable failure) {
        String text = failure.getMessage();
        if (text == null || text.isBlank()) {
            return ofClass(failure.getClass());
        }
        Matcher call = SYSTEM_CALL.matcher(text);
        return call.matches() ? call.group(1) : text;
    }

    /** Returns the name of an exception class as separate words, such as "no route to host". */
    private static String ofClass(Class<?> type) {
        if (type == IOException.class || type == FileSystemException.class) {
            return "input/output error";
        }
        String bare = type.getSimpleName().replaceFirst("(Exception|Error)$", "");
        return bare.isEmpty()
                ? "unknown failure"
                : bare.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
    }
}
