package io.rocketbufs.rocketnet.shm;

import java.io.IOException;

/** The exception for a failed system call. {@link ShmFailures} interprets the errno. */
final class ShmException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The errno of the failed call. */
    private final int number;

    ShmException(String call, int number, String text) {
        super(call + ": " + text);
        this.number = number;
    }

    int number() {
        return number;
    }
}
