package io.rocketbufs.rocketlog.log;

import io.rocketbufs.text.Reason;
import java.io.IOException;

/**
 * A failed force: data that the system had accepted may be lost. Forcing again does not help, even if the disk was only
 * full.
 */
final class ForceException extends IOException {
    private static final long serialVersionUID = 1L;

    ForceException(IOException cause) {
        super(Reason.of(cause), cause);
    }
}
