package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.text.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CRLException;
import java.security.cert.CertPathParameters;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Lists of the certificates that authorities have revoked (CRLs). A certificate is refused if it is in a list, or if
 * there is no current list from the authority that issued it. Nothing is fetched from the network, unless the JVM's own
 * properties {@code com.sun.security.enableCRLDP} and {@code ocsp.enable} request it.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param file the file that contains the lists
 * @param lists at least one
 */
record TlsRevoked(Path file, Set<X509CRL> lists) {
    /**
     * Reads a PEM file.
     *
     * @throws IllegalArgumentException if the file cannot be read or contains no list; names the file
     */
    static TlsRevoked read(Path file) {
        Set<X509CRL> lists;
        try {
            lists =
                    CertificateFactory.getInstance("X.509")
                            .generateCRLs(new ByteArrayInputStream(Files.readAllBytes(file)))
                            .stream()
                            .map(X509CRL.class::cast)
                            .collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + Reason.of(e), e);
        } catch (CRLException | CertificateException e) {
            throw new IllegalArgumentException(file + " is not a PEM file of revoked certificates: " + Reason.of(e), e);
        }
        if (lists.stream().anyMatch(list -> list.getNextUpdate() == null)) {
            throw new IllegalArgumentException(file
                    + " contains a list of revoked certificates without \"Next Update\", which is never current; create"
                    + " it with an end, as with \"openssl ca -gencrl -crldays 30\"");
        }
        if (lists.isEmpty()) {
            throw new IllegalArgumentException(
                    file + " contains no list of revoked certificates (-----BEGIN X509 CRL-----)");
        }
        return new TlsRevoked(file, lists);
    }

    /** Returns the time at which the first of the lists becomes outdated. */
    Instant end() {
        return lists.stream()
                .map(X509CRL::getNextUpdate)
                .min(Date::compareTo)
                .orElseThrow()
                .toInstant();
    }

    /** Returns whether any list, even an outdated list, contains the certificate. */
    boolean contains(X509Certificate certificate) {
        return lists.stream().anyMatch(list -> list.isRevoked(certificate));
    }

    /** Returns the number of revoked certificates in all lists. */
    int count() {
        return lists.stream()
                .map(X509CRL::getRevokedCertificates)
                .filter(Objects::nonNull)
                .mapToInt(Collection::size)
                .sum();
    }

    /** Returns the parameters for checking certificates against the given authorities and these lists. */
    CertPathParameters parameters(KeyStore authorities) throws GeneralSecurityException {
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(authorities, new X509CertSelector());
        // Enables the JVM's own revocation checker. A PKIXRevocationChecker added here would fetch lists from the
        // distribution points in peers' certificates.
        parameters.setRevocationEnabled(true);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
        return parameters;
    }
}
