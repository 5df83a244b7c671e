package io.rocketbufs.settings;

import java.util.Locale;
import java.util.regex.Pattern;

/** The keys whose values are secrets and must not appear in any message. */
public final class Secrets {
    private static final Pattern NAME =
            Pattern.compile("(tokens?|sha256|keys?|passwords?|credentials?|secrets?|users)$");

    private Secrets() {}

    /** Returns true if the name of a key, such as {@code rbmq.client.token}, ends with a word that denotes a secret. */
    public static boolean isSecret(String key) {
        return NAME.matcher(key.toLowerCase(Locale.ROOT)).find();
    }
}
