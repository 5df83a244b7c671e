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

    /** Returns the hash of a token given as text. */
    public static TokenHash of(String token) {
        return of(token.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the hash of a token given as UTF-8 bytes. */
    static TokenHash of(byte[] token) {
        try {
            return new TokenHash(MessageDigest.getInstance("SHA-256").digest(token));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Parses a hash.
     *
     * @param hex 64 hexadecimal digits
     * @throws IllegalArgumentException if the text is not a hash; the message does not contain the text
     */
    static TokenHash parse(String hex) {
        if (!HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("must have 64 hexadecimal digits");
        }
        return new TokenHash(HexFormat.of().parseHex(hex.toLowerCase(Locale.ROOT)));
    }

    /** Returns the hash as 64 hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(hash);
    }

    /** Returns true if both are hashes of the same token. Compares in constant time. */
    boolean matches(TokenHash other) {
        return MessageDigest.isEqual(hash, other.hash);
    }

    /** Returns {@code ***}, because a short token could be recovered from its hash. */
    @Override
    public String toString() {
        return "***";
    }
}
