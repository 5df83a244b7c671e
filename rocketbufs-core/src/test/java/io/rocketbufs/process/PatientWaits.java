package io.rocketbufs.process;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.Extension;

/**
 * The defaults of this JVM for how long tests wait for a condition and how often they check it. A busy machine may need
 * much more time than an idle one, and a limit that is too long costs nothing unless the test fails. Most conditions
 * become true within a few milliseconds, so the first polls follow each other closely.
 *
 * <p>JUnit finds this class through its service file in every module whose tests use this module's tests.
 */
public final class PatientWaits implements Extension {
    private static final Duration LIMIT = Duration.ofSeconds(150);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    /** Sets the defaults for this JVM. */
    public PatientWaits() {
        Awaitility.setDefaultTimeout(LIMIT);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(PatientWaits::next, FIRST_PAUSE));
    }

    private static Duration next(Duration pause) {
        Duration longer = pause.multipliedBy(3).dividedBy(2);
        return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }
}
