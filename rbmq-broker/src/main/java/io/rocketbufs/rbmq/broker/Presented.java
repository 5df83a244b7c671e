package io.rocketbufs.rbmq.broker;

import java.security.cert.X509Certificate;
import javax.security.auth.x500.X500Principal;

/**
 * The credentials that a client presents.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param token hash of the token; null if there is none
 * @param certificate subject of the certificate that the transport has verified; null if there is none. It is used only
 *     if there is no token
 */
record Presented(TokenHash token, X500Principal certificate) {
    /**
     * Creates the credentials that a client presents.
     *
     * @param token the token; empty if the client presents none
     * @param certificate the certificate; null if the client presents none
     */
    static Presented of(byte[] token, X509Certificate certificate) {
        return new Presented(
                token.length == 0 ? null : TokenHash.of(token),
                certificate == null ? null : certificate.getSubjectX500Principal());
    }
}
