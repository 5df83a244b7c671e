package io.rocketbufs.settings;

import com.typesafe.config.ConfigOrigin;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One or more configuration errors. The message has one line for each error. The line names the key, its file and line
 * number, and the valid values. The message never contains the value of a {@linkplain Secrets secret}.
 */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<SettingsException> problems;
    /** The full key, or null if there are several problems. */
    private final String key;

    private final int line;
    /** The list element that contains the key, or null. */
    private final transient ListedObject place;
    /** The full keys whose errors may have caused this error. */
    private final transient Set<String> causes;

    /** An element of a list in the configuration: the list's full key, and the element's index. */
    record ListedObject(String listKey, int index) {
        /** Returns the full name of a key of this element, such as {@code a.list[2].key}. */
        String full(String key) {
            return listKey + "[" + index + "]." + key;
        }

        /** Returns the key that has the given full name. */
        String keyOf(String full) {
            return full.substring(full("").length());
        }
    }

    /** Creates an exception whose message consists of the value's origin, the key and the error. */
    public SettingsException(ConfigOrigin origin, String key, String what) {
        this(origin, key, what, null, Set.of());
    }

    SettingsException(ConfigOrigin origin, String key, String what, ListedObject place, Set<String> causes) {
        super((origin == null ? "" : origin.description() + ": ") + key + ": " + what);
        this.key = key;
        this.line = origin == null ? -1 : origin.lineNumber();
        this.place = place;
        this.causes = causes;
        this.problems = List.of(this);
    }

    /** Creates an exception for at least one problem. */
    SettingsException(List<SettingsException> problems) {
        super(problems.stream().map(Throwable::getMessage).collect(Collectors.joining("\n")));
        this.key = null;
        this.line = -1;
        this.place = null;
        this.causes = Set.of();
        this.problems = List.copyOf(problems);
    }

    /** Returns the message of each problem. */
    public List<String> messages() {
        return problems.stream().map(Throwable::getMessage).toList();
    }

    String key() {
        return key;
    }

    int line() {
        return line;
    }

    ListedObject place() {
        return place;
    }

    Set<String> causes() {
        return causes;
    }
}
