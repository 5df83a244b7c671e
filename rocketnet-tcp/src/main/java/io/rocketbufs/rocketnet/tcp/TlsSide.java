package io.rocketbufs.rocketnet.tcp;

import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The files of the listening or of the connecting side.
 *
 * @param isServer true for the listening side
 * @param certificate certificate of this side, followed by those of the authorities below the root; null for none
 * @param key private key of this certificate; null for none
 * @param authorities certificates of the trusted authorities. If it is null, the listening side requests no
 *     certificates, and the connecting side trusts the authorities of the JVM
 * @param revoked lists of the certificates that these authorities have revoked; null for no check
 * @param isRequired whether the listening side refuses clients without a certificate
 */
record TlsSide(boolean isServer, Path certificate, Path key, Path authorities, Path revoked, boolean isRequired) {
    /** Key of the lists of revoked certificates. */
    static final String REVOKED = "revoked";

    /** Returns the key of the certificate. */
    String certificateKey() {
        return isServer ? "certificate" : "client-certificate";
    }

    /** Returns the key of the private key. */
    String keyKey() {
        return isServer ? "key" : "client-key";
    }

    /** Returns the key of the authorities. */
    String authoritiesKey() {
        return isServer ? "client-ca" : "ca";
    }

    /** Returns true when there is a file to read. */
    boolean hasFiles() {
        return certificate != null || authorities != null;
    }

    /**
     * Reads the lists of revoked certificates, which both sides share.
     *
     * @return null for none
     * @throws TlsFileException naming the key and the file when the file cannot be used
     */
    TlsRevoked readRevoked() {
        return revoked == null ? null : checked(REVOKED, () -> TlsRevoked.read(revoked));
    }

    /**
     * Reads the other files. Requires BoringSSL.
     *
     * @param lists the revoked certificates; null for no check
     * @return null for a listening side without a certificate, which cannot accept connections
     * @throws TlsFileException naming the key and the file when a file cannot be used
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
