package io.rocketbufs.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.rocketbufs.settings.SettingsException.ListedObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A reader of the values under one path of a configuration. It rejects missing values, wrong types and values outside
 * the allowed range.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class SettingsReader {
    private static final String DURATION = "a duration such as 500 ms or 2 s";

    private final Config config;
    private final String path;
    /** The list element that this reader reads, or null. */
    private final ListedObject place;

    /**
     * Creates a reader of the keys under {@code path} in a resolved configuration that includes the modules'
     * reference.conf.
     */
    public SettingsReader(Config config, String path) {
        this(config, path, null);
    }

    private SettingsReader(Config config, String path, ListedObject place) {
        this.config = config;
        this.path = path;
        this.place = place;
    }

    /** Returns a number of bytes, written as {@code 65536} or {@code 64 KiB}. */
    public long bytes(String key, long min, long max) {
        return inRange(key, read(key, "a size such as 65536 or 64 KiB", config::getBytes), min, max, " bytes");
    }

    /** Returns a number of bytes like {@link #bytes}, or -1 if the value is the given word. */
    public long bytesUnless(String key, String word, long min, long max) {
        if (isWord(key, word)) {
            return -1;
        }
        String expected = "a size such as 65536 or 64 KiB, or " + word;
        return inRange(key, read(key, expected, config::getBytes), min, max, " bytes");
    }

    private boolean isWord(String key, String word) {
        return has(key) && word.equals(config.getValue(full(key)).unwrapped());
    }

    /** Returns a whole number. */
    public int integer(String key, int min, int max) {
        double value = read(key, "a whole number", config::getDouble);
        if (value != Math.rint(value)) {
            throw wrong(key, shown(key, value) + "is not a whole number");
        }
        return (int) inRange(key, (long) value, min, max, "");
    }

    /** Returns a duration in milliseconds, written as {@code 500 ms} or {@code 2 s}. */
    public long millis(String key, long min, long max) {
        return inRange(key, read(key, DURATION, config::getDuration).toMillis(), min, max, " ms");
    }

    /** Returns a duration. */
    public Duration duration(String key) {
        return read(key, DURATION, config::getDuration);
    }

    /** Returns a Boolean value. */
    public boolean bool(String key) {
        return read(key, "true or false", config::getBoolean);
    }

    /** Returns a string. */
    public String text(String key) {
        return read(key, "a string", config::getString);
    }

    /** Returns a reader for each object in a list. Errors name the object by its index in the list, starting at 0. */
    public List<SettingsReader> list(String key) {
        List<? extends Config> objects = read(key, "a list of {...}", config::getConfigList);
        List<SettingsReader> readers = new ArrayList<>();
        for (int i = 0; i < objects.size(); i++) {
            if (!objects.get(i).root().containsKey(SettingsCheck.REJECTED)) {
                readers.add(new SettingsReader(objects.get(i), "", new ListedObject(full(key), i)));
            }
        }
        return readers;
    }

    /** Returns a list of strings. */
    public List<String> texts(String key) {
        return List.copyOf(read(key, "a list of strings", config::getStringList));
    }

    /** Returns a list of strings, or null if the value is the given word. */
    public List<String> textsUnless(String key, String word) {
        if (isWord(key, word)) {
            return null;
        }
        return List.copyOf(read(key, "a list of strings, or " + word, config::getStringList));
    }

    /**
     * Rejects all keys other than the given ones. Use this method for the objects in a list, which {@link KnownKeys}
     * does not check.
     */
    public SettingsReader only(String... known) {
        List<String> all = Arrays.asList(known);
        for (String key : config.root().keySet()) {
            if (!all.contains(key)) {
                throw wrong(key, "is not one of " + String.join(", ", known) + suggestion(key, known));
            }
        }
        return this;
    }

    /** Returns true if the key has a value. */
    public boolean has(String key) {
        return config.hasPath(full(key));
    }

    /**
     * Returns the name of the file that contains the value of a key, or null if the value does not come from a file.
     */
    public String file(String key) {
        return config.getValue(full(key)).origin().filename();
    }

    /** Returns a string after checking that it is one of the allowed strings. */
    public String oneOf(String key, String... allowed) {
        String value = text(key);
        if (!Arrays.asList(allowed).contains(value)) {
            throw wrong(
                    key,
                    shown(key, "\"" + value + "\"") + "is not one of " + String.join(", ", allowed)
                            + suggestion(value, allowed));
        }
        return value;
    }

    /** Returns an exception that reports an error in the value of a key. */
    public SettingsException wrong(String key, String what) {
        return problem(key, what, Set.of());
    }

    /**
     * Returns an exception that reports that the value of a key conflicts with the values of other keys.
     * {@link SettingsCheck} does not report the conflict if one of the other values is itself invalid.
     */
    public SettingsException conflict(String key, String what, String... others) {
        return problem(key, what, Arrays.stream(others).map(this::shownKey).collect(Collectors.toSet()));
    }

    private SettingsException problem(String key, String what, Set<String> causes) {
        String full = full(key);
        ConfigOrigin origin = config.hasPath(full) ? config.getValue(full).origin() : config.origin();
        return new SettingsException(origin, shownKey(key), what, place, causes);
    }

    private static String suggestion(String value, String... allowed) {
        String nearest = SimilarNames.nearest(value, Arrays.asList(allowed));
        return nearest == null ? "" : "; did you mean \"" + nearest + "\"?";
    }

    private long inRange(String key, long value, long min, long max, String unit) {
        if (value < min || value > max) {
            throw wrong(key, shown(key, value + unit) + "is not in the range " + min + " to " + max);
        }
        return value;
    }

    private <T> T read(String key, String expected, Function<String, T> getter) {
        String full = full(key);
        try {
            return getter.apply(full);
        } catch (ConfigException.Missing e) {
            throw new SettingsException(config.origin(), shownKey(key), "is missing", place, Set.of());
        } catch (ConfigException e) {
            // If a parent is not a section, the path does not exist and the exception contains the parent's origin.
            String what = config.hasPath(full)
                    ? written(key) + "cannot be read: expected " + expected
                    : "cannot be read: a part of this path is a value, not a section";
            throw new SettingsException(e.origin(), shownKey(key), what, place, Set.of());
        }
    }

    /** Returns the value as written in the configuration; empty for a list or section, which may contain a secret. */
    private String written(String key) {
        ConfigValue value = config.getValue(full(key));
        boolean isPlain = value.valueType() != ConfigValueType.OBJECT && value.valueType() != ConfigValueType.LIST;
        return isPlain ? shown(key, "\"" + value.unwrapped() + "\"") : "";
    }

    /** Returns the value followed by a space; empty for a secret. */
    private String shown(String key, Object value) {
        return Secrets.isSecret(full(key)) ? "" : value + " ";
    }

    private String shownKey(String key) {
        return place == null ? full(key) : place.full(full(key));
    }

    private String full(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
