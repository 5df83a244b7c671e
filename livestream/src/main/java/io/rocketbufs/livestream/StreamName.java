package io.rocketbufs.livestream;

import java.util.regex.Pattern;

/**
 * The rules for stream names, which may contain only characters that need no escaping in URLs, playlists and
 * certificates.
 */
public final class StreamName {
    /** Maximum length of a name in characters. */
    public static final int MAX_LENGTH = 63;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1," + MAX_LENGTH + "}");

    private StreamName() {}

    /** Returns true if {@code name} is a valid stream name. */
    public static boolean isValid(String name) {
        return NAME.matcher(name).matches();
    }
}
