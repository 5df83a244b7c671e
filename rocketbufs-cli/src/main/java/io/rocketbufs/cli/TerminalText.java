package io.rocketbufs.cli;

/**
 * Text from clients, such as names, made safe and aligned for a terminal. Control characters could send commands to the
 * terminal, and marks that change the direction of text could make a name look like another name. Both are shown as
 * escape sequences such as {@code \u202e}.
 */
public final class TerminalText {
    private static final String CUT = "…";
    /** The first and last code points of the ranges of characters that occupy two columns. */
    private static final int[][] WIDE = {
        {0x1100, 0x115f},
        {0x2e80, 0x303e},
        {0x3041, 0xa4cf},
        {0xac00, 0xd7a3},
        {0xf900, 0xfaff},
        {0xfe30, 0xfe6f},
        {0xff00, 0xff60},
        {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f},
        {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd}
    };

    private TerminalText() {}

    /** Returns a text in which characters that a terminal would not show unchanged are replaced by escape sequences. */
    public static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isVisible(point)) {
                escaped.appendCodePoint(point);
            } else {
                for (char unit : Character.toChars(point)) {
                    escaped.append(String.format("\\u%04x", (int) unit));
                }
            }
        });
        return escaped.toString();
    }

    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** Returns the number of columns that an escaped text occupies. */
    public static int width(String escaped) {
        return escaped.codePoints().map(TerminalText::width).sum();
    }

    private static int width(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        for (int[] range : WIDE) {
            if (point >= range[0] && point <= range[1]) {
                return 2;
            }
        }
        return 1;
    }

    /** Returns the beginning of an escaped text that fits into a number of columns. */
    public static String cut(String escaped, int columns) {
        if (width(escaped) <= columns) {
            return escaped;
        }
        StringBuilder cut = new StringBuilder();
        int left = columns - 1;
        for (int point : escaped.codePoints().toArray()) {
            left -= width(point);
            if (left < 0) {
                break;
            }
            cut.appendCodePoint(point);
        }
        return columns < 1 ? "" : cut + CUT;
    }

    /** Returns an escaped text padded with spaces to a number of columns. */
    public static String pad(String escaped, int columns) {
        return escaped + " ".repeat(Math.max(0, columns - width(escaped)));
    }
}
