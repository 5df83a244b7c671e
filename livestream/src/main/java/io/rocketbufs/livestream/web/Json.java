package io.rocketbufs.livestream.web;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;

/** JSON on one line: maps, collections, texts, numbers, booleans and null. */
public final class Json {
    private Json() {}

    /** A value. */
    public static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : object.entrySet()) {
                out.append(separator);
                text(entry.getKey().toString(), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ",";
            }
            out.append(object.isEmpty() ? "{}" : "}");
        } else if (value instanceof Collection<?> array) {
            String separator = "";
            out.append('[');
            for (Object each : array) {
                out.append(separator);
                write(each, out);
                separator = ",";
            }
            out.append(']');
        } else if (value instanceof Double number) {
            out.append(Double.isFinite(number) ? String.format(Locale.ROOT, "%.3f", number) : "null");
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            text(value.toString(), out);
        }
    }

    private static void text(String text, StringBuilder out) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
