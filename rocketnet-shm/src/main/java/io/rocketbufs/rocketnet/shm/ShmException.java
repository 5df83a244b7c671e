package io.rocketbufs.rocketnet.shm;

import java.io.IOException;

/** A failed system call. {@link ShmFailures} interprets the number. */
final class ShmException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The value of errno. */
    private final int number;

    ShmException(String call, int number, String text) {
        super(call + ": " + text);
        this.number = number;
    }

    int number() {
        return number;
    }
}
