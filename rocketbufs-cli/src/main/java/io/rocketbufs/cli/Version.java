package io.rocketbufs.cli;

import io.rocketbufs.rocketnet.TransportProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import picocli.CommandLine.IVersionProvider;

/**
 * The output of {@code --version}: the versions of the build, of Java and of the operating system, and the transports.
 */
final class Version implements IVersionProvider {
    private final String program;

    Version(String program) {
        this.program = program;
    }

    @Override
    public String[] getVersion() {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("/io/rocketbufs/cli/version.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String revision = build.getProperty("revision");
        String transports = ServiceLoader.load(TransportProvider.class).stream()
                .map(provider -> provider.get().name())
                .sorted()
                .collect(Collectors.joining(", "));
        return new String[] {
            program + " " + build.getProperty("version") + (revision.isEmpty() ? "" : " (" + revision + ")"),
            "Java " + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")",
            System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                    + System.getProperty("os.arch"),
            "transports: " + (transports.isEmpty() ? "none" : transports)
        };
    }
}
