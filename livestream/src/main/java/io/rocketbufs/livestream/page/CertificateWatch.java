package io.rocketbufs.livestream.page;

import io.rocketbufs.web.ServerMetrics;
import io.rocketbufs.web.TlsIdentity;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A watch over the expiry of the certificate of a relay or an edge. */
public final class CertificateWatch {
    private static final String FILES = "livestream.tls.certificate and livestream.tls.key, and restart";

    private CertificateWatch() {}

    /**
     * Adds the time until the certificate expires to the metrics. If that time is short, logs a warning immediately and
     * then once a day.
     */
    public static void start(TlsIdentity identity, ServerMetrics metrics, ScheduledExecutorService timer) {
        metrics.gauge(
                "livestream.certificate.expiry.seconds",
                "Time until the first certificate of the HTTPS port expires",
                identity::expirySeconds);
        timer.scheduleAtFixedRate(() -> identity.warnOfExpiry(FILES), 0, 1, TimeUnit.DAYS);
    }
}
