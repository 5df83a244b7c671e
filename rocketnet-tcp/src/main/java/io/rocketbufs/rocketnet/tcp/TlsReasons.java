package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.TransportException.Code;
import java.util.Map;

/**
 * The reasons for failed handshakes, in the user's terms.
 *
 * <p><b>Source:</b> the alerts of RFC 8446, section 6, and the names of BoringSSL's errors, which end in the alerts'
 * names.
 */
final class TlsReasons {
    private static final String REFUSED_CERTIFICATE = "the peer refused the certificate of this side: ";

    private static final Map<String, String> REFUSALS = Map.ofEntries(
            Map.entry("ALERT_CERTIFICATE_EXPIRED", REFUSED_CERTIFICATE + "it has expired, or is not valid yet"),
            Map.entry("ALERT_UNKNOWN_CA", REFUSED_CERTIFICATE + "the peer does not trust the authority that issued it"),
            Map.entry("ALERT_BAD_CERTIFICATE", REFUSED_CERTIFICATE + "it is for another host, or malformed"),
            Map.entry("ALERT_UNSUPPORTED_CERTIFICATE", REFUSED_CERTIFICATE + "it is not for this purpose"),
            Map.entry("ALERT_CERTIFICATE_REVOKED", REFUSED_CERTIFICATE + "it has been revoked"),
            Map.entry("ALERT_CERTIFICATE_UNKNOWN", REFUSED_CERTIFICATE + "the peer's log has the reason"),
            Map.entry("ALERT_ACCESS_DENIED", REFUSED_CERTIFICATE + "the peer's log has the reason"),
            Map.entry(
                    "ALERT_CERTIFICATE_REQUIRED",
                    "the peer requires a certificate: set rocketbufs.tls.client-certificate and"
                            + " rocketbufs.tls.client-key"),
            Map.entry(
                    "PEER_DID_NOT_RETURN_A_CERTIFICATE",
                    "the client sent no certificate, which rocketbufs.tls.require-client-certificate = on requires"));

    private static final Map<String, String> VIOLATIONS = Map.ofEntries(
            Map.entry("UNSUPPORTED_PROTOCOL", "the peer supports neither TLS 1.3 nor TLS 1.2"),
            Map.entry("ALERT_PROTOCOL_VERSION", "the peer supports neither TLS 1.3 nor TLS 1.2"),
            Map.entry("NO_SHARED_CIPHER", "the peer supports none of the ciphers of this side"),
            Map.entry(
                    "ALERT_HANDSHAKE_FAILURE",
                    "the peer refused the handshake: it may require a client certificate"
                            + " (rocketbufs.tls.client-certificate), or support none of the ciphers of this side"),
            Map.entry("WRONG_VERSION_NUMBER", "the peer does not use TLS"),
            Map.entry("HTTP_REQUEST", "the peer does not use TLS"),
            Map.entry("DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "the data was modified on its way"));

    private TlsReasons() {}

    /**
     * Returns the failure for a BoringSSL error.
     *
     * @param text the text of the error, such as {@code error:1000042e:SSL
     *     routines:OPENSSL_internal:TLSV1_ALERT_PROTOCOL_VERSION}
     */
    static TlsFailure of(String text) {
        String name = text.substring(text.lastIndexOf(':') + 1);
        for (Map.Entry<String, String> known : REFUSALS.entrySet()) {
            if (name.endsWith(known.getKey())) {
                return new TlsFailure(Code.REFUSED, known.getValue());
            }
        }
        for (Map.Entry<String, String> known : VIOLATIONS.entrySet()) {
            if (name.endsWith(known.getKey())) {
                return new TlsFailure(Code.PROTOCOL, known.getValue());
            }
        }
        return new TlsFailure(Code.PROTOCOL, name.isEmpty() ? "unknown failure" : name + " (BoringSSL)");
    }
}
