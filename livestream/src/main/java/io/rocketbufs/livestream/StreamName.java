package io.rocketbufs.livestream;

import java.util.regex.Pattern;

/** What streams may be called: what needs no quoting in an address, a playlist or a certificate. */
public final class StreamName {
    /** Characters of the longest name. */
    public static final int MAX_LENGTH = 63;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1," + MAX_LENGTH + "}");

    private StreamName() {}

    /** True when a stream may be called this. */
    public static boolean isValid(String name) {
        return NAME.matcher(name).matches();
    }
}
