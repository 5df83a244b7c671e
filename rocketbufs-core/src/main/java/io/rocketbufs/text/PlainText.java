package io.rocketbufs.text;

import java.nio.charset.StandardCharsets;

/** A filter for text from peers, so that a peer cannot forge log lines. */
public final class PlainText {
    private static final char REPLACEMENT = '\ufffd';

    private PlainText() {}

    /** Decodes UTF-8; replaces malformed bytes and control characters. */
    public static String of(byte[] utf8) {
        return of(new String(utf8, StandardCharsets.UTF_8));
    }

    /** Replaces control characters. */
    public static String of(String text) {
        StringBuilder plain = new StringBuilder(text);
        for (int i = 0; i < plain.length(); i++) {
            if (Character.isISOControl(plain.charAt(i))) {
                plain.setCharAt(i, REPLACEMENT);
            }
        }
        return plain.toString();
    }
}
