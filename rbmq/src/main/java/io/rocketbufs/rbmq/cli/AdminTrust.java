package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** The certificate authorities that a command trusts when it uses an admin interface over HTTPS. */
final class AdminTrust {
    private AdminTrust() {}

    /**
     * Returns a factory of sockets that trust the given authorities.
     *
     * @param key configuration key of the file, for error messages
     * @param file PEM file with the certificates of the authorities; empty for the authorities that this JVM trusts
     * @throws CommandFailure naming the file if it cannot be used
     */
    static SSLSocketFactory of(String key, String file) {
        try {
            TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
            managers.init(file.isEmpty() ? null : store(Path.of(file)));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IOException e) {
            throw new CommandFailure(
                    ExitCode.BAD_CONFIGURATION, key + ": " + file + " cannot be used: " + Reason.of(e));
        }
    }

    private static KeyStore store(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(file)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry(Integer.toString(store.size()), each);
            }
        }
        if (store.size() == 0) {
            throw new IOException("it contains no certificate (-----BEGIN CERTIFICATE-----)");
        }
        return store;
    }
}
