package io.rocketbufs.settings;

import java.util.Locale;
import java.util.regex.Pattern;

/** The keys whose values are secrets, which no message may contain. */
public final class Secrets {
    private static final Pattern NAME =
            Pattern.compile("(tokens?|sha256|keys?|passwords?|credentials?|secrets?|users)$");

    private Secrets() {}

    /** Returns true when the name of a key ends in a word for a secret, such as {@code rbmq.client.token}. */
    public static boolean isSecret(String key) {
        return NAME.matcher(key.toLowerCase(Locale.ROOT)).find();
    }
}
