package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigParseOptions;
import io.rocketbufs.settings.SettingsException;
import io.rocketbufs.settings.UnknownKeys;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * The options of every command, and the configuration that they make: what {@code --set} says, over system properties,
 * over the file, over the modules' reference.conf.
 */
final class ConfigOptions {
    private static final Set<String> ROOTS = Set.of("rocketbufs", "livestream");

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this and does nothing else.")
    boolean help;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration: what differs from the defaults.")
    File file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Sets one key of the configuration; may be repeated.")
    List<String> sets = new ArrayList<>();

    /**
     * Puts everything together.
     *
     * @throws SettingsException naming the key that no module knows, with its file and line
     * @throws ConfigException naming file and line of what cannot be read
     */
    Config load() {
        Config reference = ConfigFactory.parseResources("reference.conf");
        Config all = assignments()
                .withFallback(properties())
                .withFallback(fileConfig())
                .withFallback(reference)
                .resolve();
        UnknownKeys.check(all, reference.resolve(), ROOTS);
        return all;
    }

    /** These options, for a process that is started with the same configuration. */
    List<String> toArguments() {
        List<String> arguments = new ArrayList<>();
        if (file != null) {
            arguments.addAll(List.of("--config", file.getAbsolutePath()));
        }
        sets.forEach(set -> arguments.addAll(List.of("--set", set)));
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
            if (set.indexOf('=') < 1) {
                throw new CommandFailure(ExitCode.USAGE, "--set " + set + ": is not KEY=VALUE");
            }
            all = parse(set, "command line: --set " + set).withFallback(all);
        }
        return all;
    }

    private static Config properties() {
        Config all = ConfigFactory.empty();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (ROOTS.contains(name.split("\\.")[0])) {
                all = parse(name + "=" + System.getProperty(name), "system property " + name)
                        .withFallback(all);
            }
        }
        return all;
    }

    /** As a line of a file; what would need quotes there does not need them here. */
    private static Config parse(String assignment, String origin) {
        ConfigParseOptions options = ConfigParseOptions.defaults().setOriginDescription(origin);
        try {
            return ConfigFactory.parseString(assignment, options);
        } catch (ConfigException.Parse e) {
            int equals = assignment.indexOf('=');
            String key = assignment.substring(0, equals).strip();
            try {
                return ConfigFactory.parseString(key + "=" + quoted(assignment.substring(equals + 1)), options);
            } catch (ConfigException.Parse again) {
                throw new SettingsException(ConfigOriginFactory.newSimple(origin), key, "is not a key");
            }
        }
    }

    private static String quoted(String text) {
        return '"' + text.strip().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
