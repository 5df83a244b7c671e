package io.rocketbufs.rocketlog.log;

import io.rocketbufs.text.Reason;
import java.io.IOException;

/**
 * The failure of a force: data that the operating system has accepted may be lost. Forcing again does not help, even if
 * the disk was only full.
 */
final class ForceException extends IOException {
    private static final long serialVersionUID = 1L;

    ForceException(IOException cause) {
        super(Reason.of(cause), cause);
    }
}
