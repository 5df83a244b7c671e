package io.rocketbufs.text;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** The text of the warning about a certificate that has expired or will expire soon. */
public final class ExpiryWarning {
    /** The remaining validity below which a warning is given. */
    private static final Duration SOON = Duration.ofDays(14);

    private ExpiryWarning() {}

    /**
     * Returns the warning, or null if none is necessary.
     *
     * @param certificate file of the certificate
     * @param end time when the certificate expires
     * @param keys configuration keys of the files that must be replaced
     */
    public static String of(Path certificate, Instant end, Instant now, String keys) {
        Duration left = Duration.between(now, end);
        if (left.compareTo(SOON) >= 0) {
            return null;
        }
        String state = left.isNegative()
                ? " expired at " + end + ", so peers refuse it"
                : " expires in " + left.toDays() + " days, at " + end;
        return "The certificate in " + certificate + state + ": replace the files of " + keys;
    }
}
