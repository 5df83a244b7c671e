package io.rocketbufs.web;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The parameters of a request to an API. Each invalid one is refused with an {@link IllegalArgumentException} that
 * names the allowed ones, because a script that misspells a parameter must not receive another answer.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class ApiQuery {
    private static final int MAX_SHOWN = 60;

    private final Map<String, String> parameters;

    /** Creates a query that may have only the allowed parameters. */
    public ApiQuery(Map<String, String> parameters, String... allowed) {
        this.parameters = parameters;
        List<String> known = List.of(allowed);
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("unknown parameter " + quoted(name)
                        + (known.isEmpty() ? "; there are none" : "; allowed are " + String.join(", ", known)));
            }
        }
    }

    /** Returns a parameter; null when it is missing. */
    public String text(String name) {
        return parameters.get(name);
    }

    /** Returns the value of an enum that a parameter names in lower case. */
    public <E extends Enum<E>> E choice(String name, E otherwise) {
        String value = parameters.get(name);
        if (value == null) {
            return otherwise;
        }
        E[] all = otherwise.getDeclaringClass().getEnumConstants();
        for (E each : all) {
            if (label(each).equals(value)) {
                return each;
            }
        }
        throw new IllegalArgumentException(name + "=" + quoted(value) + " is not one of "
                + Arrays.stream(all).map(ApiQuery::label).collect(Collectors.joining(", ")));
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns a number within a range. */
    public int number(String name, int low, int high, int otherwise) {
        String value = parameters.get(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = value.matches("[0-9]+") ? Integer.parseInt(value) : -1;
            if (number >= low && number <= high) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(name + "=" + quoted(value) + " is not a number from " + low + " to " + high);
    }

    /** Returns a switch, which is off when it is missing. */
    public boolean isOn(String name) {
        String value = parameters.getOrDefault(name, "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(name + "=" + quoted(value) + " is not one of true, false");
        }
        return value.equals("true");
    }

    /** Returns a client's text in a form that is safe to show in a line of plain text. */
    private static String quoted(String text) {
        String cut = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
        return '"' + cut.replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?") + '"';
    }
}
