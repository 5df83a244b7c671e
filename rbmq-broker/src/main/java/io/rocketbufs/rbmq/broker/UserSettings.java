package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.TokenFile;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/**
 * A user of a broker: an element of {@code rbmq.users}, or a user without a name for an element of
 * {@code rbmq.credentials}.
 *
 * @param name null for a user without a name
 * @param token hash of the token by which the broker recognizes the user; null if the user is recognized by a
 *     certificate
 * @param certificate subject of the client certificate by which the broker recognizes the user; null if the user is
 *     recognized by a token
 * @param permissions the user's topics
 * @param admin whether the user may use the admin interface
 * @param maxConnections maximum number of simultaneous connections; {@link Integer#MAX_VALUE} for no limit
 */
public record UserSettings(
        String name,
        TokenHash token,
        X500Principal certificate,
        Permissions permissions,
        boolean admin,
        int maxConnections) {
    private static final int MAX_NAME_LENGTH = 64;
    private static final int MAX_COUNT = 1_000_000_000;
    private static final String NAME = "name";
    private static final String TOKEN = "token";
    private static final String TOKEN_FILE = "token-file";
    private static final String TOKEN_SHA256 = "token-sha256";
    private static final String CERTIFICATE = "certificate";

    /** Creates a user without a name that has all permissions. */
    static UserSettings of(String token) {
        return new UserSettings(null, TokenHash.of(token), null, Permissions.ALL, true, Integer.MAX_VALUE);
    }

    /**
     * Reads an element of {@code rbmq.users}.
     *
     * @param others the users that have been read so far
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    static UserSettings from(SettingsReader entry, List<UserSettings> others) {
        entry.only(
                NAME, TOKEN, TOKEN_FILE, TOKEN_SHA256, CERTIFICATE, "publish", "subscribe", "admin", "max-connections");
        Permissions permissions = new Permissions(rights(entry, "publish"), rights(entry, "subscribe"));
        boolean admin = entry.has("admin") && entry.bool("admin");
        int maxConnections =
                entry.has("max-connections") ? entry.integer("max-connections", 1, MAX_COUNT) : Integer.MAX_VALUE;
        // Read last, because a check of the whole configuration ignores a user without a name or a proof of identity.
        String name = name(entry, others);
        String proof = proof(entry);
        return proof.equals(CERTIFICATE)
                ? new UserSettings(name, null, certificate(entry, others), permissions, admin, maxConnections)
                : new UserSettings(name, token(entry, proof, others), null, permissions, admin, maxConnections);
    }

    private static TopicRights rights(SettingsReader entry, String key) {
        return entry.has(key) ? rights(entry, key, entry.texts(key)) : TopicRights.NONE;
    }

    private static String name(SettingsReader entry, List<UserSettings> others) {
        String name = entry.text(NAME);
        if (!isName(name)) {
            throw entry.wrong(NAME, "must have 1 to " + MAX_NAME_LENGTH + " characters, without control characters");
        }
        if (others.stream().anyMatch(other -> name.equals(other.name))) {
            throw entry.wrong(NAME, "another user already has the name \"" + name + "\"");
        }
        return name;
    }

    /** Returns true if a string is a valid user name. */
    public static boolean isName(String text) {
        return !text.isBlank()
                && text.length() <= MAX_NAME_LENGTH
                && text.chars().noneMatch(Character::isISOControl);
    }

    /** Returns the key that determines how the user proves its identity. */
    private static String proof(SettingsReader entry) {
        List<String> given = Stream.of(TOKEN, TOKEN_FILE, TOKEN_SHA256, CERTIFICATE)
                .filter(entry::has)
                .toList();
        if (given.isEmpty()) {
            throw entry.conflict(
                    TOKEN_FILE,
                    "is missing; set token-file, token-sha256, token or certificate",
                    NAME,
                    TOKEN,
                    TOKEN_FILE,
                    TOKEN_SHA256,
                    CERTIFICATE);
        }
        if (given.size() > 1) {
            throw entry.wrong(given.get(1), "cannot be set together with " + given.get(0));
        }
        return given.get(0);
    }

    private static X500Principal certificate(SettingsReader entry, List<UserSettings> others) {
        X500Principal subject;
        try {
            subject = new X500Principal(entry.text(CERTIFICATE));
        } catch (IllegalArgumentException e) {
            throw entry.wrong(
                    CERTIFICATE, "\"" + entry.text(CERTIFICATE) + "\" is not a subject such as CN=edge1,O=Example");
        }
        if (subject.getName().isEmpty()) {
            throw entry.wrong(
                    CERTIFICATE, "is empty; set a subject, because all certificates without one would be this user's");
        }
        for (UserSettings other : others) {
            if (subject.equals(other.certificate)) {
                throw entry.wrong(CERTIFICATE, other.describe() + " already has this certificate");
            }
        }
        return subject;
    }

    private static TokenHash token(SettingsReader entry, String key, List<UserSettings> others) {
        TokenHash token = read(entry, key);
        for (UserSettings other : others) {
            if (other.token != null && other.token.matches(token)) {
                throw entry.wrong(
                        key,
                        other.name == null
                                ? "rbmq.credentials already contains this token"
                                : other.describe() + " already has this token");
            }
        }
        return token;
    }

    private static TokenHash read(SettingsReader entry, String key) {
        String text = entry.text(key);
        try {
            return switch (key) {
                case TOKEN_FILE -> TokenHash.of(TokenFile.read(Path.of(text)));
                case TOKEN_SHA256 -> checked(TokenHash.parse(text));
                default -> TokenHash.of(checked(text));
            };
        } catch (IllegalArgumentException e) {
            throw entry.wrong(key, e.getMessage());
        }
    }

    private static TokenHash checked(TokenHash token) {
        if (token.matches(TokenHash.of(""))) {
            throw new IllegalArgumentException("is the hash of an empty token");
        }
        return token;
    }

    private static String checked(String token) {
        if (!GreetingLayout.isToken(token)) {
            throw new IllegalArgumentException("a token must have 1 to 255 bytes, without control characters");
        }
        return token;
    }

    /**
     * Parses filters.
     *
     * @param key key of the filters, for the error message
     */
    static TopicRights rights(SettingsReader reader, String key, List<String> texts) {
        List<TopicFilter> filters = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String text : texts) {
            try {
                filters.add(TopicFilter.of(text));
            } catch (IllegalArgumentException e) {
                problems.add(e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw reader.wrong(key, String.join("; ", problems));
        }
        return new TopicRights(filters);
    }

    /** Returns true if the other settings describe the same user: by name or, without a name, by proof of identity. */
    boolean isSame(UserSettings other) {
        return name == null ? other.name == null && hasSameProof(other) : name.equals(other.name);
    }

    /** Returns true if the broker recognizes both users by the same token or certificate. */
    boolean hasSameProof(UserSettings other) {
        return token == null
                ? certificate.equals(other.certificate)
                : other.token != null && token.matches(other.token);
    }

    /** Returns a description of the user for messages, including the name. */
    String describe() {
        return name == null ? "a user of rbmq.credentials" : "user \"" + name + "\"";
    }
}
