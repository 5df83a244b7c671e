package io.rocketbufs.livestream.page;

import io.rocketbufs.web.ServerMetrics;
import io.rocketbufs.web.TlsIdentity;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The warnings of a relay or an edge whose certificate expires. */
public final class CertificateWatch {
    private static final String FILES = "livestream.tls.certificate and livestream.tls.key, and restart";

    private CertificateWatch() {}

    /** Adds the time that is left to the metrics, and warns in the log if it is short, now and once a day. */
    public static void start(TlsIdentity identity, ServerMetrics metrics, ScheduledExecutorService timer) {
        metrics.gauge(
                "livestream.certificate.expiry.seconds",
                "Time until the first certificate of the HTTPS port expires",
                identity::expirySeconds);
        timer.scheduleAtFixedRate(() -> identity.warnOfExpiry(FILES), 0, 1, TimeUnit.DAYS);
    }
}
