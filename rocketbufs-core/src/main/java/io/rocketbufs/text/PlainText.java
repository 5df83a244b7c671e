package io.rocketbufs.text;

import java.nio.charset.StandardCharsets;

/**
 * A filter for text received from peers. It prevents a peer from forging lines or making one text look like another.
 * Control characters, line and paragraph separators, and marks that change the direction of text become U+FFFD.
 */
public final class PlainText {
    private static final char REPLACEMENT = '\ufffd';

    private PlainText() {}

    /** Decodes UTF-8, and replaces malformed bytes and unsafe characters. */
    public static String of(byte[] utf8) {
        return of(new String(utf8, StandardCharsets.UTF_8));
    }

    /** Replaces unsafe characters. Returns the text itself if it contains none. */
    public static String of(String text) {
        return replaced(text, false);
    }

    /**
     * Returns the text of {@link #of(String)} in quotation marks. Quotation marks within it become apostrophes, so that
     * the text cannot end its quotation.
     */
    public static String quoted(String text) {
        return '"' + of(text).replace('"', '\'') + '"';
    }

    /** Replaces unsafe characters other than line feeds and tabs, for texts of several lines. */
    public static String ofLines(String text) {
        return replaced(text, true);
    }

    private static String replaced(String text, boolean isOfLines) {
        StringBuilder plain = null;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (isPlain(each) || isOfLines && (each == '\n' || each == '\t')) {
                continue;
            }
            if (plain == null) {
                plain = new StringBuilder(text);
            }
            plain.setCharAt(i, REPLACEMENT);
        }
        return plain == null ? text : plain.toString();
    }

    private static boolean isPlain(char each) {
        return !Character.isISOControl(each) && !isSeparator(each) && !changesDirection(each);
    }

    private static boolean isSeparator(char each) {
        return each == 0x2028 || each == 0x2029;
    }

    private static boolean changesDirection(char each) {
        return each == 0x061c
                || each == 0x200e
                || each == 0x200f
                || each >= 0x202a && each <= 0x202e
                || each >= 0x2066 && each <= 0x2069;
    }
}
