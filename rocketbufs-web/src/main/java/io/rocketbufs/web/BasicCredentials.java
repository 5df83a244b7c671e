package io.rocketbufs.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A user's name and password, as a browser presents them in the {@code Authorization} header (RFC 7617). A browser
 * automatically adds them to every subsequent request, including requests caused by another site's page. Credentials
 * alone must therefore not be sufficient for a request that changes something.
 *
 * @param user name of the user, without a colon; may be empty
 * @param password password; may be empty, and may contain colons
 */
public record BasicCredentials(String user, String password) {
    private static final String BASIC = "Basic ";

    /** Returns whether a header has this scheme, even if the credentials in it are malformed. */
    public static boolean isPresented(String authorization) {
        return authorization.regionMatches(true, 0, BASIC, 0, BASIC.length());
    }

    /**
     * Returns the credentials that a client presents, or null if the header has another scheme or is malformed.
     *
     * @param authorization value of the {@code Authorization} header; empty if there is none
     */
    public static BasicCredentials presented(String authorization) {
        if (!isPresented(authorization)) {
            return null;
        }
        try {
            byte[] decoded = Base64.getDecoder()
                    .decode(authorization.substring(BASIC.length()).trim());
            String both = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decoded))
                    .toString();
            int colon = both.indexOf(':');
            return colon < 0 ? null : new BasicCredentials(both.substring(0, colon), both.substring(colon + 1));
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return null;
        }
    }

    /** Returns the value of the {@code WWW-Authenticate} header that makes a browser ask its user for credentials. */
    public static String challenge(String realm) {
        return "Basic realm=\"" + realm + "\", charset=\"UTF-8\"";
    }

    /** Returns the user's name, but not the password. */
    @Override
    public String toString() {
        return "BasicCredentials[user=" + user + "]";
    }
}
