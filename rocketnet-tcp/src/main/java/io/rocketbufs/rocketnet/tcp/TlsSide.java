package io.rocketbufs.rocketnet.tcp;

import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The files of the listening or of the connecting side.
 *
 * @param isServer true for the listening side
 * @param certificate file with this side's certificate, followed by any intermediate certificates; null if there is
 *     none
 * @param key file with the certificate's private key; null if there is none
 * @param authorities file with the certificates of the trusted authorities. If null, the listening side requests no
 *     certificates, and the connecting side trusts the JVM's authorities
 * @param revoked file with the lists of certificates that these authorities have revoked; null disables the check
 * @param isRequired whether the listening side refuses clients without a certificate
 */
record TlsSide(boolean isServer, Path certificate, Path key, Path authorities, Path revoked, boolean isRequired) {
    /** Configuration key of the lists of revoked certificates. */
    static final String REVOKED = "revoked";

    /** Returns the configuration key of the certificate. */
    String certificateKey() {
        return isServer ? "certificate" : "client-certificate";
    }

    /** Returns the configuration key of the private key. */
    String keyKey() {
        return isServer ? "key" : "client-key";
    }

    /** Returns the configuration key of the authorities. */
    String authoritiesKey() {
        return isServer ? "client-ca" : "ca";
    }

    /** Returns whether there is a file to read. */
    boolean hasFiles() {
        return certificate != null || authorities != null;
    }

    /**
     * Reads the lists of revoked certificates, which both sides share.
     *
     * @return the lists, or null if no lists are configured
     * @throws TlsFileException if the file is unusable; names the key and the file
     */
    TlsRevoked readRevoked() {
        return revoked == null ? null : checked(REVOKED, () -> TlsRevoked.read(revoked));
    }

    /**
     * Reads all files except the lists of revoked certificates. Requires BoringSSL.
     *
     * @param lists the revoked certificates; null disables the check
     * @return the context; null for a listening side that has no certificate and therefore cannot accept connections
     * @throws TlsFileException if a file is unusable; names the key and the file
     */
    TlsContext read(TlsRevoked lists) {
        TlsTrust trust = trust(lists);
        TlsKeyPair pair =
                certificate == null ? null : checked(certificateKey(), () -> TlsKeyPair.read(certificate, key));
        if (isServer && pair == null) {
            return null;
        }
        return checked(
                keyKey(), () -> isServer ? TlsContext.server(pair, trust, isRequired) : TlsContext.client(pair, trust));
    }

    private TlsTrust trust(TlsRevoked lists) {
        if (authorities == null) {
            return isServer ? null : TlsTrust.ofThisJvm();
        }
        return checked(authoritiesKey(), () -> TlsTrust.of(authorities, lists));
    }

    private static <T> T checked(String key, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw new TlsFileException(key, e);
        }
    }
}
