package io.rocketbufs.memory;

import java.nio.file.FileSystemException;

/** A failed system call on a file. */
public final class CallException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    CallException(String file, String reason, int errno) {
        super(file, null, reason);
        this.errno = errno;
    }

    /** Returns the system's error number. */
    public int errno() {
        return errno;
    }
}
