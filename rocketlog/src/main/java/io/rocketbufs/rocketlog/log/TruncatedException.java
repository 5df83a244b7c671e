package io.rocketbufs.rocketlog.log;

import java.io.IOException;

/** Another program has made a file shorter than its batches. */
final class TruncatedException extends IOException {
    private static final long serialVersionUID = 1L;

    TruncatedException(long length, long expected) {
        super("another program has truncated it to " + length + " of " + expected + " bytes");
    }
}
