package io.rocketbufs.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A check of a whole configuration that reports all errors at once instead of only the first one. After each error, the
 * check replaces the invalid value with the reference value and calls the reader again. Readers therefore do not depend
 * on this class.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
public final class SettingsCheck {
    /** The key of the object that replaces a rejected list element, so that the other elements keep their indices. */
    static final String REJECTED = "\u0000rejected";

    private final Config reference;
    private final List<SettingsException> problems = new ArrayList<>();
    private final Set<String> wrongKeys = new HashSet<>();
    private Config config;

    /**
     * Starts a check.
     *
     * @param given the user's configuration, resolved
     * @param reference the modules' reference.conf, resolved
     */
    public SettingsCheck(Config given, Config reference) {
        this.config = given.withFallback(reference);
        this.reference = reference;
    }

    /**
     * Finds unknown keys.
     *
     * @param part the part of the configuration to check
     * @param known the known keys
     */
    public void keys(Config part, KnownKeys known) {
        for (KnownKeys.UnknownKey unknown : known.in(part)) {
            add(unknown.problem());
            if (unknown.nearest() != null) {
                wrongKeys.add(unknown.nearest());
            }
            config = config.withoutPath(unknown.problem().key());
        }
        config = config.withFallback(reference);
    }

    /**
     * Replaces the configuration with the one that a function derives from it, for example to read a file that can be
     * read only once. Finds the invalid values among those that the function reads.
     */
    public void replace(UnaryOperator<Config> step) {
        config = repaired(step);
    }

    /** Finds the invalid values among those that the given reader reads. */
    public void values(Consumer<Config> reader) {
        repaired(read -> {
            reader.accept(read);
            return read;
        });
    }

    /**
     * Returns the result of a function, called repeatedly until it no longer finds an invalid value that can be
     * replaced.
     */
    private Config repaired(UnaryOperator<Config> reader) {
        Config repaired = config;
        Set<String> replaced = new HashSet<>();
        while (true) {
            try {
                return reader.apply(repaired);
            } catch (SettingsException e) {
                boolean isFirst = replaced.add(e.key());
                if (isFirst && Collections.disjoint(e.causes(), wrongKeys)) {
                    add(e);
                }
                if (e.place() != null) {
                    repaired = isFirst ? withoutListedKey(repaired, e) : withoutListed(repaired, e);
                } else if (isFirst) {
                    repaired = withReference(repaired, e.key());
                } else {
                    // The reference value is also invalid, at least in combination with the other values.
                    return repaired;
                }
            }
        }
    }

    /**
     * Ends the check.
     *
     * @return the checked configuration, including the reference values and the changes made by {@link #replace}
     * @throws SettingsException with all errors, ordered by line
     */
    public Config finish() {
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(SettingsException::line));
            throw new SettingsException(problems);
        }
        return config;
    }

    private void add(SettingsException problem) {
        wrongKeys.add(problem.key());
        if (problem.place() != null) {
            wrongKeys.add(problem.place().listKey());
        }
        if (problems.stream().noneMatch(known -> known.getMessage().equals(problem.getMessage()))) {
            problems.add(problem);
        }
    }

    private Config withReference(Config from, String key) {
        return reference.hasPath(key) ? from.withValue(key, reference.getValue(key)) : from.withoutPath(key);
    }

    private static Config withoutListedKey(Config from, SettingsException e) {
        List<ConfigValue> list = new ArrayList<>(from.getList(e.place().listKey()));
        ConfigObject element = (ConfigObject) list.get(e.place().index());
        list.set(e.place().index(), element.withoutKey(e.place().keyOf(e.key())));
        return from.withValue(e.place().listKey(), ConfigValueFactory.fromIterable(list));
    }

    /** Replaces a list element that is still invalid after its key was removed. */
    private static Config withoutListed(Config from, SettingsException e) {
        List<ConfigValue> list = new ArrayList<>(from.getList(e.place().listKey()));
        list.set(e.place().index(), ConfigValueFactory.fromMap(Map.of(REJECTED, true)));
        return from.withValue(e.place().listKey(), ConfigValueFactory.fromIterable(list));
    }
}
