package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.TokenFile;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings that determine which clients a broker accepts and what they may do.
 *
 * @param users the users in {@code rbmq.users} and {@code rbmq.credentials}; if there are any, a client's token must
 *     belong to one of them
 * @param anonymous permissions of clients that connect to a loopback address without a token or, if there are no users,
 *     with any token
 * @param insecure true grants these permissions on other addresses too
 * @param exposedFiles names of the token files that every user of this machine can read
 */
public record AccessSettings(
        List<UserSettings> users, Permissions anonymous, boolean insecure, Set<String> exposedFiles) {
    private static final String AUTO = "auto";

    /**
     * Reads and checks the settings.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    public static AccessSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        List<UserSettings> users = new ArrayList<>();
        Set<String> files = new TreeSet<>();
        for (String token : reader.texts("credentials")) {
            if (!GreetingLayout.isToken(token)) {
                throw reader.wrong("credentials", "a token must have 1 to 255 bytes, without control characters");
            }
            UserSettings user = UserSettings.of(token);
            if (users.stream()
                    .anyMatch(other -> other.token() != null && other.token().matches(user.token()))) {
                throw reader.wrong("credentials", "contains a token twice");
            }
            users.add(user);
            addExposed(reader.file("credentials"), files);
        }
        for (SettingsReader entry : reader.list("users")) {
            users.add(UserSettings.from(entry, users));
            if (entry.has("token")) {
                addExposed(entry.file("token"), files);
            }
            if (entry.has("token-file")) {
                addExposed(entry.text("token-file"), files);
            }
        }
        TopicRights others = users.isEmpty() ? TopicRights.ALL : TopicRights.NONE;
        Permissions anonymous = new Permissions(
                rights(reader, "anonymous.publish", others), rights(reader, "anonymous.subscribe", others));
        return new AccessSettings(List.copyOf(users), anonymous, reader.bool("insecure"), Set.copyOf(files));
    }

    private static TopicRights rights(SettingsReader reader, String key, TopicRights automatic) {
        List<String> texts = reader.textsUnless(key, AUTO);
        return texts == null ? automatic : UserSettings.rights(reader, key, texts);
    }

    /**
     * Adds the name of a token file if every user of this machine can read it; ignores null, which stands for a value
     * that is not in a file.
     */
    private static void addExposed(String file, Set<String> files) {
        if (file != null && TokenFile.isExposed(Path.of(file))) {
            files.add(file);
        }
    }

    /** Returns true if the broker accepts clients whose rights do not cover every topic. */
    boolean limitsClients() {
        return anonymous.grantAnything() && !anonymous.grantEverything()
                || users.stream().anyMatch(user -> !user.permissions().grantEverything());
    }

    /** Returns a warning for each token file that every user of this machine can read. */
    public List<String> warnings() {
        return exposedFiles.stream()
                .map(file -> TokenFile.exposure(file) + ", or configure token-sha256 instead of the token")
                .toList();
    }

    /** Returns the settings without the tokens. */
    @Override
    public String toString() {
        long nameless = users.stream().filter(user -> user.name() == null).count();
        return "AccessSettings[users="
                + users.stream().filter(user -> user.name() != null).toList() + ", credentials=(" + nameless
                + "), anonymous=" + anonymous + ", insecure=" + insecure + ", exposedFiles=" + exposedFiles + "]";
    }
}
