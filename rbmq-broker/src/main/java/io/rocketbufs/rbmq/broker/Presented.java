package io.rocketbufs.rbmq.broker;

import java.security.cert.X509Certificate;
import javax.security.auth.x500.X500Principal;

/**
 * The credentials that a client presents.
 *
 * <p><b>Thread-safety:</b> immutable.
 *
 * @param token hash of the token; null if there is none
 * @param certificate subject of the certificate that the transport has checked; null if there is none. It counts only
 *     without a token
 */
record Presented(TokenHash token, X500Principal certificate) {
    /**
     * Returns the proof of identity that a client presents.
     *
     * @param token empty for none
     * @param certificate null for none
     */
    static Presented of(byte[] token, X509Certificate certificate) {
        return new Presented(
                token.length == 0 ? null : TokenHash.of(token),
                certificate == null ? null : certificate.getSubjectX500Principal());
    }
}
