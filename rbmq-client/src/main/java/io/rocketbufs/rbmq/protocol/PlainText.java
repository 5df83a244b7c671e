package io.rocketbufs.rbmq.protocol;

import java.nio.charset.StandardCharsets;

/** Text that a peer sent for people to read: whatever it is, it cannot forge lines of a log. */
final class PlainText {
    private static final char REPLACEMENT = '\ufffd';

    private PlainText() {}

    /** Reads UTF-8, with something harmless for what is not, and for control characters. */
    static String of(byte[] utf8) {
        return of(new String(utf8, StandardCharsets.UTF_8));
    }

    /** With something harmless for control characters. */
    static String of(String text) {
        StringBuilder plain = new StringBuilder(text);
        for (int i = 0; i < plain.length(); i++) {
            if (Character.isISOControl(plain.charAt(i))) {
                plain.setCharAt(i, REPLACEMENT);
            }
        }
        return plain.toString();
    }
}
