package io.rocketbufs.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * The bearer tokens, one of which a client must present in its {@code Authorization} header (RFC 6750).
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class BearerTokens {
    private final List<byte[]> expected;

    /** Creates a set that accepts each of the given tokens. */
    public BearerTokens(List<String> tokens) {
        expected = tokens.stream()
                .map(token -> ("Bearer " + token).getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /** Returns true when there are no tokens, so that no client can present one. */
    public boolean isEmpty() {
        return expected.isEmpty();
    }

    /**
     * Returns true when a header contains one of the tokens. The time for the comparison does not depend on the bytes
     * of the tokens.
     *
     * @param authorization value of the header; empty if there is none
     */
    public boolean admits(String authorization) {
        byte[] presented = authorization.getBytes(StandardCharsets.UTF_8);
        boolean admitted = false;
        for (byte[] each : expected) {
            admitted |= MessageDigest.isEqual(each, presented);
        }
        return admitted;
    }
}
