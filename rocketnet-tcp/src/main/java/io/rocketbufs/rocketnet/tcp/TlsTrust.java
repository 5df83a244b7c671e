package io.rocketbufs.rocketnet.tcp;

import io.netty.internal.tcnative.CertificateVerifier;
import io.rocketbufs.text.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The authorities that one side trusts, and the verification of the peer's certificates.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class TlsTrust {
    private final X509TrustManager manager;
    private final Path file;
    private final Set<X509Certificate> authorities;
    private final TlsRevoked revoked;

    private TlsTrust(X509TrustManager manager, Path file, Set<X509Certificate> authorities, TlsRevoked revoked) {
        this.manager = manager;
        this.file = file;
        this.authorities = authorities;
        this.revoked = revoked;
    }

    /**
     * The result of a check.
     *
     * @param code the BoringSSL code, which selects the alert that the peer receives
     * @param reason the reason for the refusal, or null if the certificates are valid
     */
    record Verdict(int code, String reason) {
        private static final Verdict VALID = new Verdict(CertificateVerifier.X509_V_OK, null);
    }

    /** Returns the authorities that this JVM trusts. */
    static TlsTrust ofThisJvm() {
        return new TlsTrust(manager(null, null), null, Set.of(), null);
    }

    /**
     * Reads the certificates of the authorities.
     *
     * @param revoked the certificates that these authorities have revoked; null disables the check
     * @throws IllegalArgumentException if the file cannot be read or contains no certificate; names the file
     */
    static TlsTrust of(Path file, TlsRevoked revoked) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            Set<X509Certificate> authorities = Set.copyOf(certificates(file));
            for (X509Certificate certificate : authorities) {
                store.setCertificateEntry(Integer.toString(store.size()), certificate);
            }
            return new TlsTrust(manager(store, revoked), file, authorities, revoked);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(file + " cannot be used: " + Reason.of(e), e);
        }
    }

    /**
     * Reads certificates.
     *
     * @throws IllegalArgumentException if the file cannot be read or contains no certificate; names the file
     */
    static List<X509Certificate> certificates(Path file) {
        try {
            return certificates(file, Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + Reason.of(e), e);
        }
    }

    /**
     * Parses certificates.
     *
     * @param file the file that contained the bytes
     * @throws IllegalArgumentException if there is no certificate; names the file
     */
    static List<X509Certificate> certificates(Path file, byte[] bytes) {
        Collection<? extends Certificate> all;
        try {
            all = factory().generateCertificates(new ByteArrayInputStream(bytes));
        } catch (CertificateException e) {
            throw new IllegalArgumentException(file + " is not a PEM file of certificates: " + Reason.of(e), e);
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException(file + " contains no certificate (-----BEGIN CERTIFICATE-----)");
        }
        return all.stream().map(X509Certificate.class::cast).toList();
    }

    private static CertificateFactory factory() throws CertificateException {
        return CertificateFactory.getInstance("X.509");
    }

    /** Returns the certificates of the configured authorities; empty if this JVM's authorities are used. */
    Set<X509Certificate> authorities() {
        return authorities;
    }

    /** Returns the certificates that the authorities have revoked, or null if revocation is not checked. */
    TlsRevoked revoked() {
        return revoked;
    }

    private static X509TrustManager manager(KeyStore store, TlsRevoked revoked) {
        try {
            TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
            if (revoked == null) {
                managers.init(store);
            } else {
                managers.init(new CertPathTrustManagerParameters(revoked.parameters(store)));
            }
            return (X509TrustManager) Stream.of(managers.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .findFirst()
                    .orElseThrow();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no PKIX", e);
        }
    }

    /** Parses a chain of certificates, the peer's own first. */
    static X509Certificate[] parse(byte[][] chain) throws CertificateException {
        X509Certificate[] parsed = new X509Certificate[chain.length];
        for (int i = 0; i < chain.length; i++) {
            parsed[i] = (X509Certificate) factory().generateCertificate(new ByteArrayInputStream(chain[i]));
        }
        return parsed;
    }

    /**
     * Checks the certificates of a server.
     *
     * @param host the name or numeric address by which the client connects to the server
     */
    Verdict checkServer(X509Certificate[] chain, String authentication, String host) {
        try {
            manager.checkServerTrusted(chain, authentication);
            checkTrusted(chain);
        } catch (CertificateException e) {
            return refused("the server's certificate", chain[0], e);
        }
        TlsNames names = TlsNames.of(chain[0]);
        if (!names.include(host)) {
            return new Verdict(
                    CertificateVerifier.X509_V_ERR_HOSTNAME_MISMATCH,
                    "the server's certificate is for " + names + ", but not for " + host
                            + "; connect to one of its hosts, or set rocketbufs.tls.server-name");
        }
        return Verdict.VALID;
    }

    /** Checks the certificates of a client. */
    Verdict checkClient(X509Certificate[] chain, String authentication) {
        try {
            manager.checkClientTrusted(chain, authentication);
            checkTrusted(chain);
            return Verdict.VALID;
        } catch (CertificateException e) {
            return refused("the client's certificate", chain[0], e);
        }
    }

    /** Checks those properties of certificates in the authorities' file that the trust manager does not check. */
    private void checkTrusted(X509Certificate[] chain) throws CertificateException {
        for (X509Certificate each : chain) {
            if (authorities.contains(each)) {
                each.checkValidity();
                if (revoked != null && revoked.contains(each)) {
                    throw new CertificateException(new CertPathValidatorException(
                            "the certificate is revoked", null, null, -1, BasicReason.REVOKED));
                }
            }
        }
    }

    private Verdict refused(String what, X509Certificate certificate, CertificateException cause) {
        String subject = what + " \"" + certificate.getSubjectX500Principal() + "\" ";
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateExpiredException) {
                return new Verdict(
                        CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED,
                        subject + "or one of its authorities has expired: it is valid until "
                                + certificate.getNotAfter().toInstant());
            }
            if (each instanceof CertificateNotYetValidException) {
                return new Verdict(
                        CertificateVerifier.X509_V_ERR_CERT_NOT_YET_VALID,
                        subject + "is not valid before "
                                + certificate.getNotBefore().toInstant() + "; check the clock of this machine");
            }
            if (each instanceof CertPathValidatorException invalid) {
                if (invalid.getReason() == BasicReason.REVOKED) {
                    return new Verdict(
                            CertificateVerifier.X509_V_ERR_CERT_REVOKED,
                            subject + "or one of its authorities has been revoked, according to " + revoked.file());
                }
                if (invalid.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS) {
                    return new Verdict(
                            CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_CRL,
                            subject + "may have been revoked: " + revoked.file()
                                    + " contains no current list of an authority that has issued it or its issuer");
                }
            }
        }
        String text = String.valueOf(cause.getMessage());
        if (text.contains("certification path") || text.contains("trust anchor")) {
            return new Verdict(
                    CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                    subject + "was issued by \"" + certificate.getIssuerX500Principal() + "\", which is not trusted: "
                            + (file == null
                                    ? "set rocketbufs.tls.ca to a file with the certificate of its authority"
                                    : "if it should be, add the certificate of its authority to " + file));
        }
        return new Verdict(CertificateVerifier.X509_V_ERR_CERT_REJECTED, subject + "is not acceptable: " + text);
    }
}
