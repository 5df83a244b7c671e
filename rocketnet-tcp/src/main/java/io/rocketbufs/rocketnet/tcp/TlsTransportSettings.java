package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The settings under {@code rocketbufs.tls}. Each key is explained in reference.conf.
 *
 * @param contexts the certificates and authorities, which belong to the caller
 * @param serverName name for which servers' certificates must be valid; empty for the host that is connected to
 */
record TlsTransportSettings(TlsContexts contexts, String serverName) {
    private static final String PATH = "rocketbufs.tls";

    /**
     * Reads and checks the settings and the files that they name. Requires BoringSSL.
     *
     * @param config the whole configuration
     * @throws io.rocketbufs.settings.SettingsException if a value or a file is invalid; names the key, file and line
     */
    static TlsTransportSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        String serverName = reader.text("server-name");
        TlsContext listening = listening(reader);
        try {
            return new TlsTransportSettings(new TlsContexts(listening, connecting(reader)), serverName);
        } catch (RuntimeException | Error e) {
            if (listening != null) {
                listening.close();
            }
            throw e;
        }
    }

    /** Returns true when the configuration names any file, so that a check is useful. */
    static boolean areUsed(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        return reader.bool("require-client-certificate")
                || !(reader.text("certificate")
                                + reader.text("key")
                                + reader.text("client-ca")
                                + reader.text("ca")
                                + reader.text("client-certificate")
                                + reader.text("client-key"))
                        .isEmpty();
    }

    private static TlsContext listening(SettingsReader reader) {
        boolean isRequired = reader.bool("require-client-certificate");
        TlsTrust clients = trust(reader, "client-ca");
        if (isRequired && clients == null) {
            throw reader.conflict(
                    "client-ca", "is empty, but rocketbufs.tls.require-client-certificate is on", "client-ca");
        }
        TlsKeyPair pair = keyPair(reader, "certificate", "key");
        return pair == null ? null : checked(reader, "key", () -> TlsContext.server(pair, clients, isRequired));
    }

    private static TlsContext connecting(SettingsReader reader) {
        TlsTrust configured = trust(reader, "ca");
        TlsTrust servers = configured == null ? TlsTrust.ofThisJvm() : configured;
        TlsKeyPair pair = keyPair(reader, "client-certificate", "client-key");
        return checked(reader, "client-key", () -> TlsContext.client(pair, servers));
    }

    /** Returns null if no file is configured. */
    private static TlsTrust trust(SettingsReader reader, String key) {
        String file = reader.text(key);
        return file.isEmpty() ? null : checked(reader, key, () -> TlsTrust.of(Path.of(file)));
    }

    /** Returns null if no files are configured. */
    private static TlsKeyPair keyPair(SettingsReader reader, String certificate, String key) {
        String certificateFile = reader.text(certificate);
        String keyFile = reader.text(key);
        if (certificateFile.isEmpty() != keyFile.isEmpty()) {
            throw reader.conflict(
                    keyFile.isEmpty() ? key : certificate,
                    "must be set together with " + PATH + "." + (keyFile.isEmpty() ? certificate : key),
                    certificate,
                    key);
        }
        return certificateFile.isEmpty()
                ? null
                : checked(reader, certificate, () -> TlsKeyPair.read(Path.of(certificateFile), Path.of(keyFile)));
    }

    private static <T> T checked(SettingsReader reader, String key, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw reader.wrong(key, e.getMessage());
        }
    }
}
