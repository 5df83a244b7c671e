package io.rocketbufs.json;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.Map;

/**
 * An encoder and parser of JSON. The encoder writes maps, collections, strings, numbers, booleans and null on one line,
 * and rounds fractions to three decimals.
 */
public final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    /** Returns a map as a JSON object, with the keys in the map's order. */
    public static String of(Map<?, ?> object) {
        Json json = new Json();
        json.object(object);
        return json.out.toString();
    }

    /** Returns the JSON encoding of a string. */
    public static String of(String text) {
        Json json = new Json();
        json.text(text);
        return json.out.toString();
    }

    /** Returns a collection as a JSON array. */
    public static String of(Collection<?> array) {
        Json json = new Json();
        json.array(array);
        return json.out.toString();
    }

    /**
     * Parses a JSON object. Uses the parser for configuration files, whose format is a superset of JSON.
     *
     * @throws com.typesafe.config.ConfigException if the text is not a JSON object
     */
    public static Config parse(String object) {
        return ConfigFactory.parseString(object, ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
    }

    private void value(Object value) {
        if (value instanceof Map<?, ?> object) {
            object(object);
        } else if (value instanceof Collection<?> array) {
            array(array);
        } else if (value instanceof Double number) {
            number(number);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            text(value.toString());
        }
    }

    private void object(Map<?, ?> object) {
        String separator = "";
        out.append('{');
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(separator);
            text(entry.getKey().toString());
            out.append(':');
            value(entry.getValue());
            separator = ",";
        }
        out.append('}');
    }

    private void array(Collection<?> array) {
        String separator = "";
        out.append('[');
        for (Object value : array) {
            out.append(separator);
            value(value);
            separator = ",";
        }
        out.append(']');
    }

    /**
     * Writes a number with at most three decimals; no measurement is more precise. NaN and infinity become null,
     * because JSON cannot represent them.
     */
    private void number(double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            out.append("null");
            return;
        }
        BigDecimal rounded = BigDecimal.valueOf(number).setScale(3, RoundingMode.HALF_EVEN);
        out.append(rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString());
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            character(text.charAt(i));
        }
        out.append('"');
    }

    private void character(char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < ' ') {
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append(c);
                }
            }
        }
    }
}
