package io.rocketbufs.livestream;

import java.util.regex.Pattern;

/** The rules for a stream's name: only characters that need no quoting in a URL, a playlist or a certificate. */
public final class StreamName {
    /** Length of the longest name in characters. */
    public static final int MAX_LENGTH = 63;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1," + MAX_LENGTH + "}");

    private StreamName() {}

    /** Returns true when a stream may have this name. */
    public static boolean isValid(String name) {
        return NAME.matcher(name).matches();
    }
}
