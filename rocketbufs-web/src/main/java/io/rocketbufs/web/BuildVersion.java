package io.rocketbufs.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the build, read from a resource into which the build inserts it. */
public final class BuildVersion {
    private static final String VERSION = read();

    private BuildVersion() {}

    /** Returns the version, such as 0.1.0. */
    public static String get() {
        return VERSION;
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = BuildVersion.class.getResourceAsStream("version.properties")) {
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
