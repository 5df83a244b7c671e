package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings under {@code rocketbufs.tls}. Each key is explained in reference.conf.
 *
 * @param listening the files of the listening side
 * @param connecting the files of the connecting side
 * @param serverName name for which servers' certificates must be valid; empty to use the host name in each connection's
 *     address
 * @param contexts the contents of the files; owned by the caller
 */
record TlsTransportSettings(TlsSide listening, TlsSide connecting, String serverName, TlsContexts contexts) {
    /** Path of the settings in the configuration. */
    static final String PATH = "rocketbufs.tls";

    private static final String REQUIRED = "require-client-certificate";

    /**
     * Reads and checks the settings and the files they name. Requires BoringSSL.
     *
     * @param config the whole configuration
     * @throws io.rocketbufs.settings.SettingsException if a value or a file is invalid; names the key, file and line
     */
    static TlsTransportSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        String serverName = reader.text("server-name");
        TlsSide listening = new TlsSide(
                true,
                path(reader, "certificate", "key"),
                path(reader, "key", "certificate"),
                path(reader, "client-ca"),
                path(reader, TlsSide.REVOKED),
                reader.bool(REQUIRED));
        TlsSide connecting = new TlsSide(
                false,
                path(reader, "client-certificate", "client-key"),
                path(reader, "client-key", "client-certificate"),
                path(reader, "ca"),
                path(reader, TlsSide.REVOKED),
                false);
        if (listening.isRequired() && listening.authorities() == null) {
            throw reader.conflict("client-ca", "is empty, but " + PATH + "." + REQUIRED + " is on", "client-ca");
        }
        if (listening.revoked() != null && listening.authorities() == null && connecting.authorities() == null) {
            throw reader.conflict(
                    TlsSide.REVOKED,
                    "needs the authorities whose certificates it revokes: set " + PATH + ".client-ca or " + PATH
                            + ".ca",
                    "client-ca",
                    "ca");
        }
        return new TlsTransportSettings(listening, connecting, serverName, contexts(reader, listening, connecting));
    }

    private static TlsContexts contexts(SettingsReader reader, TlsSide listening, TlsSide connecting) {
        TlsContext accepting = null;
        try {
            TlsRevoked revoked = listening.readRevoked();
            accepting = listening.read(revoked);
            return new TlsContexts(accepting, connecting.read(revoked));
        } catch (TlsFileException e) {
            close(accepting);
            throw reader.wrong(e.key(), e.getMessage());
        } catch (RuntimeException | Error e) {
            close(accepting);
            throw e;
        }
    }

    private static void close(TlsContext context) {
        if (context != null) {
            context.close();
        }
    }

    /** Returns both sides. */
    List<TlsSide> sides() {
        return List.of(listening, connecting);
    }

    /** Returns whether the configuration names any file, so that a check is useful. */
    static boolean areUsed(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        return reader.bool(REQUIRED)
                || !(reader.text("certificate")
                                + reader.text("key")
                                + reader.text("client-ca")
                                + reader.text("ca")
                                + reader.text("client-certificate")
                                + reader.text("client-key")
                                + reader.text(TlsSide.REVOKED))
                        .isEmpty();
    }

    /** Returns the configured path, or null if no file is configured. */
    private static Path path(SettingsReader reader, String key) {
        String file = reader.text(key);
        return file.isEmpty() ? null : Path.of(file);
    }

    /** Returns the configured path, or null if neither this file nor its counterpart is configured. */
    private static Path path(SettingsReader reader, String key, String counterpart) {
        Path file = path(reader, key);
        if (file == null && path(reader, counterpart) != null) {
            throw reader.conflict(key, "must be set together with " + PATH + "." + counterpart, counterpart, key);
        }
        return file;
    }
}
