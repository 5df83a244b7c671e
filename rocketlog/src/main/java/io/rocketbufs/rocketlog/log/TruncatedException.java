package io.rocketbufs.rocketlog.log;

import java.io.IOException;

/** The exception for a file that another program has made shorter than its batches. */
final class TruncatedException extends IOException {
    private static final long serialVersionUID = 1L;

    TruncatedException(long length, long expected) {
        super("another program truncated the file to " + length + " of " + expected + " bytes");
    }
}
