package io.rocketbufs.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A search for the most frequent syntax error in configuration files: a brace, bracket or quotation mark without its
 * counterpart. The parser reports this error only at the end of the file, in terms of its grammar.
 *
 * <p><b>Thread-safety:</b> confined to one thread.
 */
final class UnbalancedSyntax {
    private static final String LONG_QUOTE = "\"\"\"";

    private final String text;
    private final Deque<Opened> opened = new ArrayDeque<>();
    private int index;
    private int line = 1;

    /** An open brace or bracket and its line. */
    private record Opened(char sign, int line) {
        char counterpart() {
            return sign == '{' ? '}' : ']';
        }
    }

    private UnbalancedSyntax(String text) {
        this.text = text;
    }

    /** Returns the line and description of the first error, or null if the text is balanced. */
    static String find(String text) {
        return new UnbalancedSyntax(text).find();
    }

    private String find() {
        String error = null;
        while (error == null && index < text.length()) {
            char sign = text.charAt(index);
            if (sign == '#' || text.startsWith("//", index)) {
                skipTo(text.indexOf('\n', index));
            } else if (sign == '"') {
                error = skipQuoted();
            } else {
                error = bracket(sign);
                line += sign == '\n' ? 1 : 0;
                index++;
            }
        }
        if (error != null || opened.isEmpty()) {
            return error;
        }
        return opened.peek().line + ": this " + opened.peek().sign + " is never closed: "
                + opened.peek().counterpart() + " is missing";
    }

    private String bracket(char sign) {
        if (sign == '{' || sign == '[') {
            opened.push(new Opened(sign, line));
        } else if (sign == '}' || sign == ']') {
            if (opened.isEmpty()) {
                return line + ": this " + sign + " closes nothing";
            }
            Opened last = opened.pop();
            if (last.counterpart() != sign) {
                return line + ": this " + sign + " cannot close the " + last.sign + " on line " + last.line;
            }
        }
        return null;
    }

    private String skipQuoted() {
        if (text.startsWith(LONG_QUOTE, index)) {
            int end = text.indexOf(LONG_QUOTE, index + LONG_QUOTE.length());
            int first = line;
            skipTo(end < 0 ? end : end + LONG_QUOTE.length());
            return end < 0 ? first + ": this " + LONG_QUOTE + " is never closed" : null;
        }
        for (int i = index + 1; i < text.length() && text.charAt(i) != '\n'; i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == '"') {
                index = i + 1;
                return null;
            }
        }
        return line + ": a quotation mark is missing";
    }

    /** Continues at an index, or at the end of the text if the index is negative. */
    private void skipTo(int next) {
        int end = next < 0 ? text.length() : next;
        line += (int)
                text.substring(index, end).chars().filter(sign -> sign == '\n').count();
        index = end;
    }
}
