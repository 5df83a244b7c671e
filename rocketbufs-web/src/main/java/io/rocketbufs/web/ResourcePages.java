package io.rocketbufs.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Pages whose content is a resource on the class path: the files of a user interface. */
public final class ResourcePages {
    private static final String UTF_8 = "; charset=utf-8";
    /** The content types, by file name extension. */
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html" + UTF_8,
            "css", "text/css" + UTF_8,
            "js", "text/javascript" + UTF_8,
            "svg", "image/svg+xml");

    private ResourcePages() {}

    /**
     * Reads a resource. A file with an unknown extension is plain text.
     *
     * @param place class in the module that contains the resource
     * @param path path of the resource, from the root of the class path or relative to the class's package
     * @throws IllegalStateException if the resource is missing
     */
    public static Page read(Class<?> place, String path) {
        try (InputStream in = place.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException(path + " is missing on the class path");
            }
            String ending = path.substring(path.lastIndexOf('.') + 1);
            return new Page(200, TYPES.getOrDefault(ending, "text/plain" + UTF_8), in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
