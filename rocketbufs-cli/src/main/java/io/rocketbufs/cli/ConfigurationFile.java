package io.rocketbufs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A reader of configuration files. Its errors never show a file's text, which may contain secrets. */
final class ConfigurationFile {
    private ConfigurationFile() {}

    /**
     * Reads a file.
     *
     * @throws CommandFailure if the file cannot be read or parsed; names the file, and the line of a syntax error
     */
    static Config read(File file) {
        if (!file.isFile() || !file.canRead()) {
            throw invalid(file + ": " + (file.exists() ? "cannot be read" : "no such file"));
        }
        try {
            return ConfigFactory.parseFile(file, ConfigParseOptions.defaults().setAllowMissing(false));
        } catch (ConfigException e) {
            String unbalanced = UnbalancedSyntax.find(textOf(file.toPath()));
            throw invalid(unbalanced == null ? explain(e) : file + ": " + unbalanced);
        }
    }

    /**
     * Replaces references to other keys and to environment variables with their values.
     *
     * @throws CommandFailure if a value cannot be resolved; names its file and line
     */
    static Config resolved(Config config) {
        try {
            return config.resolve();
        } catch (ConfigException e) {
            throw invalid(explain(e));
        }
    }

    private static String explain(ConfigException e) {
        if (e instanceof ConfigException.UnresolvedSubstitution || e instanceof ConfigException.IO) {
            return e.getMessage();
        }
        ConfigOrigin origin = e.origin();
        return (origin == null ? "the configuration" : origin.description())
                + ": is not valid; a line has the form key = value, or key { ... }, and special characters need double"
                + " quotes";
    }

    private static CommandFailure invalid(String why) {
        return new CommandFailure(ExitCode.BAD_CONFIGURATION, why);
    }

    private static String textOf(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
