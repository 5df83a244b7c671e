package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.Reason;
import io.rocketbufs.web.TlsIdentity;
import io.rocketbufs.web.TlsSettings;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of the broker's admin interface over HTTP.
 *
 * @param enabled false disables the admin interface
 * @param host name or address
 * @param port 0 selects any free port
 * @param hosts additional host names that requests without a token may use
 * @param tls the certificate files, both null if none are configured; null without TLS
 */
public record AdminSettings(boolean enabled, String host, int port, List<String> hosts, TlsSettings tls) {
    private static final int MAX_PORT = 65_535;
    private static final String CERTIFICATE = "tls.certificate";
    private static final String KEY = "tls.key";

    /**
     * Reads and checks {@code rbmq.admin}.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    public static AdminSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq.admin");
        return new AdminSettings(
                reader.bool("enabled"),
                reader.text("address"),
                reader.integer("port", 0, MAX_PORT),
                reader.texts("hosts"),
                reader.bool("tls.enabled") ? tls(reader, new SettingsReader(config, "rocketbufs")) : null);
    }

    /** Reads the names of the certificate files, which default to those of the transport "tls". */
    private static TlsSettings tls(SettingsReader reader, SettingsReader transport) {
        boolean isOwn = !(reader.text(CERTIFICATE) + reader.text(KEY)).isEmpty();
        SettingsReader source = isOwn || !transport.has(CERTIFICATE) ? reader : transport;
        Path certificate = path(source, CERTIFICATE);
        Path key = path(source, KEY);
        if ((certificate == null) != (key == null)) {
            throw source.conflict(
                    key == null ? KEY : CERTIFICATE,
                    "the certificate and the key must be set together",
                    CERTIFICATE,
                    KEY);
        }
        return new TlsSettings(certificate, key, null);
    }

    private static Path path(SettingsReader reader, String key) {
        String file = reader.text(key);
        return file.isEmpty() ? null : Path.of(file);
    }

    /**
     * Checks that the certificate files can be used.
     *
     * @param reader reads {@code rbmq.admin}
     */
    void checkCertificate(SettingsReader reader) {
        if (!enabled || tls == null) {
            return;
        }
        if (tls.certificate() == null) {
            throw reader.wrong(
                    "tls.enabled",
                    "is on, but there is no certificate: set rbmq.admin.tls.certificate and rbmq.admin.tls.key, or"
                            + " rocketbufs.tls.certificate and rocketbufs.tls.key");
        }
        try {
            TlsIdentity.load(tls).close();
        } catch (UncheckedIOException e) {
            throw reader.wrong(
                    reader.text(CERTIFICATE).isEmpty() ? "tls.enabled" : CERTIFICATE, Reason.of(e.getCause()));
        }
    }

    /** Resolves the host name. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }
}
