package io.rocketbufs.web;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The parameters of an API request. An invalid parameter or value is refused with an {@link IllegalArgumentException}
 * that lists the allowed parameters or values. Otherwise, a script that misspells a parameter would receive the answer
 * to a different request.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class ApiQuery {
    private static final int MAX_SHOWN = 60;

    private final Map<String, String> parameters;

    /** Creates a query that may contain only the allowed parameters. */
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

    /** Returns the value of a parameter, or null if it is missing. */
    public String text(String name) {
        return parameters.get(name);
    }

    /**
     * Returns the enum constant that a parameter names in lower case, or {@code otherwise} if the parameter is missing.
     */
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

    /**
     * Returns the number in a parameter, which must be within the given range, or {@code otherwise} if the parameter is
     * missing.
     */
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
            // The failure is reported below.
        }
        throw new IllegalArgumentException(name + "=" + quoted(value) + " is not a number from " + low + " to " + high);
    }

    /** Returns whether a switch is on. A missing switch is off. */
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
