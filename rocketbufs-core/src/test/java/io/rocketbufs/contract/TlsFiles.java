package io.rocketbufs.contract;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The certificates and keys for tests of TLS, as files, and settings that name these files. {@code create.sh} in the
 * same directory explains each file.
 */
public final class TlsFiles {
    /**
     * The copies, by file name, which are reused because some tests open hundreds of transports that need the same
     * files.
     */
    private static final Map<String, Path> COPIES = new ConcurrentHashMap<>();

    private TlsFiles() {}

    /**
     * Returns a copy of a file, such as {@code ca.pem}, that is deleted when the JVM ends. Tests must not change the
     * copy, because all tests in this JVM share it.
     */
    public static Path file(String name) {
        return COPIES.computeIfAbsent(name, TlsFiles::copy);
    }

    private static Path copy(String name) {
        try (InputStream in = TlsFiles.class.getResourceAsStream("/tls/" + name)) {
            if (in == null) {
                throw new IllegalArgumentException("no such file: /tls/" + name);
            }
            Path file = Files.createTempFile("tls-", "-" + name);
            file.toFile().deleteOnExit();
            Files.write(file, in.readAllBytes());
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the settings of a listener with a certificate. */
    public static String certificate(String name) {
        return pair("certificate", "key", name);
    }

    /** Returns the settings of a connecting side that trusts an authority. */
    public static String trust(String name) {
        return "rocketbufs.tls.ca = \"" + file(name + ".pem") + "\"\n";
    }

    /** Returns the settings of a connecting side that presents a certificate. */
    public static String clientCertificate(String name) {
        return pair("client-certificate", "client-key", name);
    }

    /** Returns the settings of a listener that accepts the certificates of an authority. */
    public static String clientAuthority(String name) {
        return "rocketbufs.tls.client-ca = \"" + file(name + ".pem") + "\"\n";
    }

    private static String pair(String certificate, String key, String name) {
        return "rocketbufs.tls." + certificate + " = \"" + file(name + ".pem") + "\"\nrocketbufs.tls." + key + " = \""
                + file(name + ".key") + "\"\n";
    }

    /** Returns the configuration with additional settings. */
    public static Config with(Config config, String... settings) {
        return ConfigFactory.parseString(String.join("\n", settings)).withFallback(config);
    }

    /** Returns a configuration with which a process trusts its own listeners. */
    public static Config both(Config config) {
        return with(config, certificate("server"), trust("ca"));
    }
}
