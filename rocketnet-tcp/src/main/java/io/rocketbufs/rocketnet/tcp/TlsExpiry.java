package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.Worker;
import io.rocketbufs.text.ExpiryWarning;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * Warnings about this process's own certificates that are about to expire, and about outdated lists of revoked
 * certificates. They are logged at startup, after each reload, and once a day.
 *
 * <p><b>Thread-safety:</b> any thread may use it.
 */
final class TlsExpiry {
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    private final List<TlsSide> sides;
    private final TlsContexts contexts;
    private final InstantSource clock;
    private final Consumer<String> log;

    /**
     * Creates the warnings for both sides.
     *
     * @param log receives each warning
     */
    TlsExpiry(List<TlsSide> sides, TlsContexts contexts, InstantSource clock, Consumer<String> log) {
        this.sides = sides;
        this.contexts = contexts;
        this.clock = clock;
        this.log = log;
    }

    /** Checks immediately, and then once a day until the worker ends. */
    void begin(Worker worker) {
        if (sides.stream().anyMatch(side -> side.certificate() != null || side.revoked() != null)) {
            warnDaily(worker);
        }
    }

    private void warnDaily(Worker worker) {
        warn();
        worker.schedule(() -> warnDaily(worker), DAY_MS);
    }

    /** Logs a warning for each certificate or list that requires one. */
    void warn() {
        for (TlsSide side : sides) {
            TlsContext context = contexts.of(side.isServer());
            if (context != null) {
                warnOfCertificate(side, context.certificateEnd());
                warnOfRevoked(side, context.trust());
            }
        }
    }

    private void warnOfCertificate(TlsSide side, Instant end) {
        String keys = TlsTransportSettings.PATH + "." + side.certificateKey() + " and " + TlsTransportSettings.PATH
                + "." + side.keyKey();
        String warning = end == null ? null : ExpiryWarning.of(side.certificate(), end, clock.instant(), keys);
        if (warning != null) {
            log.accept(warning);
        }
    }

    private void warnOfRevoked(TlsSide side, TlsTrust trust) {
        Instant end = trust == null || trust.revoked() == null
                ? null
                : trust.revoked().end();
        if (end != null && end.isBefore(clock.instant())) {
            log.accept("A list of revoked certificates in " + side.revoked() + " has been outdated since " + end
                    + ", so the certificates of its authority are refused: replace the file of "
                    + TlsTransportSettings.PATH + "." + TlsSide.REVOKED);
        }
    }
}
