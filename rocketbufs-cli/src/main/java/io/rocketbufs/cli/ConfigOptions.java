package io.rocketbufs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.settings.KnownKeys;
import io.rocketbufs.settings.SettingsCheck;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.ClientName;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/**
 * A mixin with the options that determine the configuration. Its sources are, in decreasing order of precedence:
 * {@code --set}, system properties, the program's environment variables, the file given with {@code --config}, and the
 * modules' reference.conf files.
 *
 * <p>A key below the program's own root or {@code rocketbufs} must exist in a reference.conf. A file may contain other
 * roots, which belong to other programs, unless one of them looks like a misspelling of this program's root.
 */
public final class ConfigOptions {
    private static final String FRAMEWORK = "rocketbufs";
    /** The origin shown for values of --set. */
    static final String COMMAND_LINE = "command line";
    /** Matches names separated by dots. A name that contains other characters must be in quotes. */
    private static final Pattern KEY = Pattern.compile("([\\w.-]|\"[^\"]*\")+");

    private final Set<String> roots;
    private final List<String> openKeys;
    private List<String> ownKeys = List.of();
    private Supplier<Config> others = ConfigFactory::empty;
    private UnaryOperator<Config> environment = higher -> ConfigFactory.empty();
    private UnaryOperator<Config> replacement = UnaryOperator.identity();

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration file that overrides the defaults.")
    File file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Sets one key of the configuration; may be repeated.")
    List<String> sets = new ArrayList<>();

    /**
     * Creates the options of a program.
     *
     * @param root the root of the program's own keys
     * @param openKeys sections that may contain any key
     */
    public ConfigOptions(String root, String... openKeys) {
        this.roots = Set.of(FRAMEWORK, root);
        this.openKeys = List.of(openKeys);
    }

    /**
     * Adds the settings of other options, which take precedence over all other sources.
     *
     * @return this object
     */
    public ConfigOptions withOthers(Supplier<Config> settings) {
        others = settings;
        return this;
    }

    /**
     * Adds the settings in environment variables.
     *
     * @param reader returns the settings; receives the settings that take precedence over them
     * @return this object
     */
    public ConfigOptions withEnvironment(UnaryOperator<Config> reader) {
        environment = reader;
        return this;
    }

    /**
     * Adds a step that changes the merged configuration before its values are read, once per call to {@link #load}.
     *
     * @param step throws a {@link SettingsException} for an invalid value
     * @return this object
     */
    public ConfigOptions withReplacement(UnaryOperator<Config> step) {
        replacement = step;
        return this;
    }

    /**
     * Returns a configuration whose client is named after the command, unless it already has a name.
     *
     * @param command the command, which is also the root of its configuration, such as {@code rbmq}
     */
    public static Config named(Config loaded, String command) {
        return new SettingsReader(loaded, command).text("client.name").isEmpty()
                ? loaded.withValue(command + ".client.name", ConfigValueFactory.fromAnyRef(ClientName.of(command)))
                : loaded;
    }

    /**
     * Adds keys for {@code --set} that belong to an object that a command creates rather than to the configuration.
     *
     * @return this object
     */
    public ConfigOptions withOwnKeys(List<String> keys) {
        ownKeys = List.copyOf(keys);
        return this;
    }

    /**
     * Returns the values of the keys added by {@link #withOwnKeys}. Must be called after {@link #load}, which refuses
     * unknown keys.
     */
    public Config own() {
        Config assigned = assignments();
        return roots.stream().reduce(assigned, Config::withoutPath, (one, other) -> one);
    }

    /**
     * Loads the configuration. Each call reads the sources again.
     *
     * @param readers read all values that the command will use, and throw a {@link SettingsException} for an invalid
     *     value. All errors that they find are reported together
     * @throws CommandFailure if the file does not exist or an option is not an assignment
     * @throws SettingsException if the configuration is invalid; names each unknown key, invalid value or syntax error
     *     with its file and line
     */
    @SafeVarargs
    public final Config load(Consumer<Config>... readers) {
        Config all = assignments();
        Config assigned = ownKeys.stream().reduce(all, Config::withoutPath, (one, other) -> one);
        Config higher = others.get().withFallback(assigned).withFallback(properties());
        Config written = environment
                .apply(higher)
                .withFallback(file == null ? ConfigFactory.empty() : ConfigurationFile.read(file));
        Config unresolved = ConfigFactory.parseResources("reference.conf");
        Config given = ConfigurationFile.resolved(higher.withFallback(written).withFallback(unresolved));
        Config reference = unresolved.resolve();
        SettingsCheck check = new SettingsCheck(given, reference);
        check.keys(all, assignable(reference));
        check.keys(given, new KnownKeys(reference, roots, openKeys, true));
        check.replace(replacement);
        for (Consumer<Config> reader : readers) {
            check.values(reader);
        }
        return check.finish();
    }

    private KnownKeys assignable(Config reference) {
        Set<String> allRoots = new TreeSet<>(roots);
        Config known = reference;
        for (String key : ownKeys) {
            allRoots.add(ConfigUtil.splitPath(key).get(0));
            known = known.withValue(key, ConfigValueFactory.fromAnyRef(""));
        }
        return new KnownKeys(known, allRoots, openKeys, false);
    }

    /**
     * Returns the values of a configuration returned by {@link #load}, one per line, with their origins. The lines
     * contain no secrets.
     */
    public List<String> describe(Config loaded) {
        return EffectiveConfiguration.lines(loaded, roots);
    }

    /** Returns these options as arguments for starting another process with the same configuration. */
    public List<String> toArguments() {
        List<String> arguments = new ArrayList<>();
        if (file != null) {
            arguments.addAll(List.of("--config", file.getAbsolutePath()));
        }
        for (String set : sets) {
            arguments.addAll(List.of("--set", set));
        }
        return arguments;
    }

    private Config assignments() {
        Config all = ConfigFactory.empty();
        for (String set : sets) {
            all = assignment(set).withFallback(all);
        }
        return all;
    }

    /** Returns the system properties below the checked roots, such as {@code -Drocketbufs.transport=…}. */
    private Config properties() {
        Config all = ConfigFactory.empty();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (roots.contains(name.split("\\.")[0])) {
                all = all.withValue(name, valueOf(System.getProperty(name), "system property " + name));
            }
        }
        return all;
    }

    private static Config assignment(String set) {
        int equals = set.indexOf('=');
        String key = set.substring(0, Math.max(0, equals)).strip();
        if (!KEY.matcher(key).matches()) {
            throw notAnAssignment();
        }
        try {
            return ConfigFactory.empty()
                    .withValue(
                            ConfigUtil.joinPath(ConfigUtil.splitPath(key)),
                            valueOf(set.substring(equals + 1).strip(), COMMAND_LINE));
        } catch (ConfigException.BadPath e) {
            throw notAnAssignment();
        }
    }

    /** Returns the failure for a malformed option. It does not show the option's text, which may be a secret. */
    private static CommandFailure notAnAssignment() {
        return CommandFailure.usage("--set needs KEY=VALUE");
    }

    /** Parses a value as in a file, except that text does not need the quotes that may be required in a file. */
    private static ConfigValue valueOf(String text, String origin) {
        if (!text.contains("#") && !text.contains("//")) {
            try {
                Config parsed = ConfigFactory.parseString("value=" + text);
                Map.Entry<String, ConfigValue> only =
                        parsed.root().entrySet().iterator().next();
                if (parsed.root().size() == 1) {
                    return only.getValue().withOrigin(ConfigOriginFactory.newSimple(origin));
                }
            } catch (ConfigException e) {
                return ConfigValueFactory.fromAnyRef(text, origin);
            }
        }
        return ConfigValueFactory.fromAnyRef(text, origin);
    }
}
