package io.rocketbufs.rocketlog.log;

import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.Locale;

/** The failure of a log. The message names the file, the reason and the remedy. */
public final class LogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures, for callers that handle them differently. */
    public enum Code {
        /** The disk is full, or the user's quota is exhausted. Temporary. */
        FULL,
        /** The process or the system has no free file descriptor. Temporary. */
        DESCRIPTORS,
        /** The files cannot be read or written, because a permission is missing or the file system is read-only. */
        READ_ONLY,
        /** Another process, or another object in this process, has the directory open. */
        LOCKED,
        /** The files were written by a newer version of the program. */
        VERSION,
        /** Files are missing, truncated or changed. */
        DAMAGED,
        /** The disk has reported an error. */
        IO,
        /** The system does not have enough memory for an in-memory log. */
        MEMORY,
        /** The log has been closed. */
        CLOSED,
        /** The log has been deleted. */
        DELETED
    }

    private final Code code;

    /** @param problem the file, if there is one, and the reason */
    LogException(Code code, String problem, String remedy, Throwable cause) {
        super(problem + "; " + remedy, cause);
        this.code = code;
    }

    /** Returns the exception for a failed operation on a file or folder. */
    static LogException of(String action, String path, IOException cause) {
        Code code = code(cause);
        return new LogException(code, "cannot " + action + " " + path + ": " + Reason.of(cause), remedy(code), cause);
    }

    /** Returns the exception for damage to a completed file. */
    static LogException damaged(String path, String problem) {
        return new LogException(Code.DAMAGED, path + ": " + problem, remedy(Code.DAMAGED), null);
    }

    /** Returns the exception for a failure that neither the disk nor the files have caused. */
    static LogException unexpected(String problem, Throwable cause) {
        return new LogException(
                Code.IO, problem + ": " + cause, "see the broker's log, then restart the broker", cause);
    }

    private static Code code(IOException cause) {
        if (cause instanceof ForceException) {
            return Code.IO;
        }
        if (cause instanceof TruncatedException) {
            return Code.DAMAGED;
        }
        String text = (Reason.of(cause) + " " + cause.getMessage()).toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("quota exceeded") || text.contains("file too large")) {
            return Code.FULL;
        }
        if (text.contains("too many open files")) {
            return Code.DESCRIPTORS;
        }
        boolean isDenied = cause instanceof AccessDeniedException
                || text.contains("permission denied")
                || text.contains("read-only file system");
        return isDenied ? Code.READ_ONLY : Code.IO;
    }

    private static String remedy(Code code) {
        return switch (code) {
            case FULL -> "free disk space, or set a shorter retention";
            case DESCRIPTORS -> "raise the limit on open files (ulimit -n, or fs.file-max)";
            case READ_ONLY -> "make the directory and its files readable and writable for this user";
            case DAMAGED -> "run `rocketlog verify` on its directory, and restore the file from a copy";
            default -> "check the disk, then open the log again";
        };
    }

    /** Returns true if the operation can be repeated: a resource was exhausted, and the operation changed nothing. */
    boolean isTemporary() {
        return code == Code.FULL || code == Code.DESCRIPTORS;
    }

    /** Returns true if the files of a single log caused the failure, so that other logs are likely to work. */
    boolean isOfOneLog() {
        return code == Code.DAMAGED || code == Code.VERSION || code == Code.READ_ONLY || code == Code.IO;
    }

    /** Returns the kind of failure. */
    public Code code() {
        return code;
    }
}
