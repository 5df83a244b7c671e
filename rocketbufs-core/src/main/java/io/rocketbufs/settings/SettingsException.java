package io.rocketbufs.settings;

import com.typesafe.config.ConfigOrigin;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One or more configuration errors. The message has one line for each error, which names the key, its file and line,
 * and the valid values. The message never contains the value of a {@linkplain Secrets secret}.
 */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<SettingsException> problems;
    /** The full key, or null for several problems. */
    private final String key;

    private final int line;
    /** The list element that contains the key, or null. */
    private final transient ListedObject place;
    /** The {@linkplain #identity identities} of the keys whose errors may have caused this one. */
    private final transient Set<String> causes;

    /** An element of a list in the configuration: the list's full key, and the element's index. */
    record ListedObject(String listKey, int index) {}

    /** Creates an exception whose message consists of the value's origin, its key and the error. */
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

    /** Returns a text that distinguishes the key from the same key of other list elements. */
    static String identity(ListedObject place, String key) {
        return place == null ? key : place + key;
    }

    String identity() {
        return identity(place, key);
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
