package io.rocketbufs.rbmq.broker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The SHA-256 hash of a token. A broker needs only the hash to recognize the token.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class TokenHash {
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{64}");

    private final byte[] hash;

    private TokenHash(byte[] hash) {
        this.hash = hash;
    }

    /** Returns the hash of a token, given as text. */
    public static TokenHash of(String token) {
        return of(token.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the hash of a token, given in UTF-8. */
    static TokenHash of(byte[] token) {
        try {
            return new TokenHash(MessageDigest.getInstance("SHA-256").digest(token));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Reads a hash.
     *
     * @param hex 64 hexadecimal digits
     * @throws IllegalArgumentException when the text has another form; the message does not contain the text
     */
    static TokenHash parse(String hex) {
        if (!HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("must have 64 hexadecimal digits");
        }
        return new TokenHash(HexFormat.of().parseHex(hex.toLowerCase(Locale.ROOT)));
    }

    /** Returns 64 hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(hash);
    }

    /** Returns true when both are the hash of the same token. Takes the same time for all hashes. */
    boolean matches(TokenHash other) {
        return MessageDigest.isEqual(hash, other.hash);
    }

    /** Returns {@code ***}: a short token could be recovered from its hash. */
    @Override
    public String toString() {
        return "***";
    }
}
