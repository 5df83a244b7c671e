package io.rocketbufs.process;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.Extension;

/**
 * Sets how long tests wait for a condition that should become true soon. A busy machine may need much longer than a
 * quiet one, and a wait that is too long costs nothing unless the test fails.
 *
 * <p>JUnit finds this class by its service file, in every module whose tests use this module's tests.
 */
public final class PatientWaits implements Extension {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Sets the limit for this JVM. */
    public PatientWaits() {
        Awaitility.setDefaultTimeout(LIMIT);
    }
}
