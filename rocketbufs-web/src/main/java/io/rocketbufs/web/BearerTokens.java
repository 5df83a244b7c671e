package io.rocketbufs.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * A set of bearer tokens. A client must present one of them in its {@code Authorization} header (RFC 6750).
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class BearerTokens {
    private static final String BEARER = "Bearer ";

    private final List<byte[]> expected;

    /** Creates a set that accepts any of the given tokens. */
    public BearerTokens(List<String> tokens) {
        expected = tokens.stream()
                .map(token -> token.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /**
     * Returns the token that a client presents, or an empty string if there is none.
     *
     * @param authorization value of the {@code Authorization} header; empty if there is none
     */
    static String presented(String authorization) {
        return authorization.startsWith(BEARER) ? authorization.substring(BEARER.length()) : "";
    }

    /** Returns whether the set is empty, in which case no client can present a valid token. */
    public boolean isEmpty() {
        return expected.isEmpty();
    }

    /**
     * Returns whether a header contains one of the tokens. The comparison time does not depend on the tokens' contents.
     *
     * @param authorization value of the {@code Authorization} header; empty if there is none
     */
    public boolean admits(String authorization) {
        return includes(presented(authorization));
    }

    /** Returns whether the set includes a token. The comparison time does not depend on the tokens' contents. */
    boolean includes(String token) {
        byte[] presented = token.getBytes(StandardCharsets.UTF_8);
        boolean admitted = false;
        for (byte[] each : expected) {
            admitted |= MessageDigest.isEqual(each, presented);
        }
        return admitted;
    }
}
