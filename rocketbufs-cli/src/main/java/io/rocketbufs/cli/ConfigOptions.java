package io.rocketbufs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.settings.UnknownKeys;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * The options that determine the configuration, as a mixin. The sources are, in decreasing precedence: {@code --set},
 * system properties, the file, and the modules' reference.conf.
 *
 * <p>A key below the program's own root or {@code rocketbufs} must exist in a reference.conf. Other roots are not
 * checked.
 */
public final class ConfigOptions {
    private static final String FRAMEWORK = "rocketbufs";

    private final Set<String> roots;
    private final List<String> openKeys;

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
     * @param openKeys keys below which any key is allowed
     */
    public ConfigOptions(String root, String... openKeys) {
        this.roots = Set.of(FRAMEWORK, root);
        this.openKeys = List.of(openKeys);
    }

    /**
     * Loads the configuration. Each call reads the sources again.
     *
     * @throws CommandFailure when the file does not exist, or an option is not an assignment
     * @throws SettingsException naming an unknown key with its file and line
     * @throws ConfigException naming the file and line of a syntax error
     */
    public Config load() {
        Config reference = ConfigFactory.parseResources("reference.conf");
        Config all = assignments()
                .withFallback(properties())
                .withFallback(fileConfig())
                .withFallback(reference)
                .resolve();
        Config closed = all;
        for (String openKey : openKeys) {
            closed = closed.withoutPath(openKey);
        }
        UnknownKeys.check(closed, reference.resolve(), roots);
        return all;
    }

    /** Returns these options as arguments for a process that is started with the same configuration. */
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

    private Config fileConfig() {
        if (file == null) {
            return ConfigFactory.empty();
        }
        if (!file.isFile() || !file.canRead()) {
            throw new CommandFailure(
                    ExitCode.BAD_CONFIGURATION, file + ": " + (file.exists() ? "cannot be read" : "no such file"));
        }
        return ConfigFactory.parseFile(file, ConfigParseOptions.defaults().setAllowMissing(false));
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
        if (equals < 1) {
            throw CommandFailure.usage("--set " + set + ": is not KEY=VALUE");
        }
        String origin = "command line: --set " + set;
        String key = set.substring(0, equals).strip();
        try {
            return ConfigFactory.empty()
                    .withValue(
                            ConfigUtil.joinPath(ConfigUtil.splitPath(key)),
                            valueOf(set.substring(equals + 1).strip(), origin));
        } catch (ConfigException.BadPath e) {
            throw new SettingsException(ConfigOriginFactory.newSimple(origin), key, "is not a key");
        }
    }

    /** Parses a value as in a file, except that text does not need the quotes that a file may require. */
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
