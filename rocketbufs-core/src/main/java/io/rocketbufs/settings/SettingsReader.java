package io.rocketbufs.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A reader of the values below one path of a configuration. It rejects missing values, wrong types and values out of
 * range.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class SettingsReader {
    private final Config config;
    private final String path;

    /**
     * Creates a reader of the keys below {@code path} in a resolved configuration that includes the modules'
     * reference.conf.
     */
    public SettingsReader(Config config, String path) {
        this.config = config;
        this.path = path;
    }

    /** Returns a number of bytes, written as {@code 65536} or {@code 64 KiB}. */
    public long bytes(String key, long min, long max) {
        return inRange(key, read(key, config::getBytes), min, max, " bytes");
    }

    /** Returns a whole number. */
    public int integer(String key, int min, int max) {
        double value = read(key, config::getDouble);
        if (value != Math.rint(value)) {
            throw wrong(key, value + " is not a whole number");
        }
        return (int) inRange(key, (long) value, min, max, "");
    }

    /** Returns a duration in milliseconds, written as {@code 500 ms} or {@code 2 s}. */
    public long millis(String key, long min, long max) {
        return inRange(key, read(key, config::getDuration).toMillis(), min, max, " ms");
    }

    /** Returns a duration. */
    public Duration duration(String key) {
        return read(key, config::getDuration);
    }

    /** Returns true or false. */
    public boolean bool(String key) {
        return read(key, config::getBoolean);
    }

    /** Returns a string. */
    public String text(String key) {
        return read(key, config::getString);
    }

    /** Returns a reader for each object in a list. */
    public List<SettingsReader> list(String key) {
        return read(key, config::getConfigList).stream()
                .map(each -> new SettingsReader(each, ""))
                .toList();
    }

    /** Returns a list of strings. */
    public List<String> texts(String key) {
        return List.copyOf(read(key, config::getStringList));
    }

    /**
     * Rejects keys other than the given ones. Use this method for the objects in a list, which {@link UnknownKeys} does
     * not check.
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

    /** Returns true when the key has a value. */
    public boolean has(String key) {
        return config.hasPath(full(key));
    }

    /** Returns a string, which must be one of the allowed ones. */
    public String oneOf(String key, String... allowed) {
        String value = text(key);
        if (!Arrays.asList(allowed).contains(value)) {
            throw wrong(
                    key, "\"" + value + "\" is not one of " + String.join(", ", allowed) + suggestion(value, allowed));
        }
        return value;
    }

    /** Returns an exception that reports an error in the value of a key. */
    public SettingsException wrong(String key, String what) {
        String full = full(key);
        return new SettingsException(
                config.hasPath(full) ? config.getValue(full).origin() : config.origin(), full, what);
    }

    private static String suggestion(String value, String... allowed) {
        String nearest = UnknownKeys.nearest(value, Arrays.asList(allowed));
        return nearest == null ? "" : "; did you mean \"" + nearest + "\"?";
    }

    private long inRange(String key, long value, long min, long max, String unit) {
        if (value < min || value > max) {
            throw wrong(key, value + unit + " is not in the range " + min + " to " + max);
        }
        return value;
    }

    private <T> T read(String key, Function<String, T> getter) {
        try {
            return getter.apply(full(key));
        } catch (ConfigException.Missing e) {
            throw new SettingsException(config.origin(), full(key), "is missing");
        } catch (ConfigException e) {
            // If a parent is not a section, the message names the parent instead of the key.
            String written = config.hasPath(full(key))
                    ? "\"" + config.getValue(full(key)).unwrapped() + "\" "
                    : "";
            throw new SettingsException(e.origin(), full(key), written + "cannot be read: " + reason(e, full(key)));
        }
    }

    /** Returns the parser's message without the leading origin and key, which the caller adds. */
    private static String reason(ConfigException e, String key) {
        String message = e.getMessage();
        String origin = e.origin() == null ? "" : e.origin().description() + ": ";
        if (message.startsWith(origin)) {
            message = message.substring(origin.length());
        }
        String invalid = "Invalid value at '" + key + "': ";
        return message.startsWith(invalid) ? message.substring(invalid.length()) : message;
    }

    private String full(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
