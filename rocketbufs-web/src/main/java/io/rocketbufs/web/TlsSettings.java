package io.rocketbufs.web;

import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;

/**
 * The locations of a server's certificate and private key.
 *
 * @param certificate PEM file of the certificate; null for a self-signed certificate
 * @param key PEM file of the private key; null for the key of the self-signed certificate
 * @param directory directory of the self-signed certificate and its key
 */
public record TlsSettings(Path certificate, Path key, Path directory) {
    /**
     * Reads {@code tls.certificate}, {@code tls.key} and {@code tls.directory}.
     *
     * @param defaultDirectory directory to use if none is configured
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file and line of the first
     *     invalid value
     */
    public static TlsSettings from(SettingsReader reader, Path defaultDirectory) {
        String certificate = reader.text("tls.certificate");
        String key = reader.text("tls.key");
        if (certificate.isEmpty() != key.isEmpty()) {
            throw reader.conflict(
                    key.isEmpty() ? "tls.key" : "tls.certificate",
                    "tls.certificate and tls.key must be set together",
                    "tls.certificate",
                    "tls.key");
        }
        String directory = reader.text("tls.directory");
        return new TlsSettings(
                certificate.isEmpty() ? null : Path.of(certificate),
                key.isEmpty() ? null : Path.of(key),
                directory.isEmpty() ? defaultDirectory : Path.of(directory));
    }
}
