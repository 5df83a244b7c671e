package io.rocketbufs.web;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of an operator's page: those that the pages of all servers share, and those of one server. uPlot is among
 * the shared ones without changes, and its licence is a file of its own.
 *
 * <p><b>Thread-safety:</b> any thread, once created.
 */
public final class PageFiles {
    private static final List<String> SHARED = List.of(
            "uPlot.iife.min.js",
            "uPlot.min.css",
            "uPlot-LICENSE",
            "page.css",
            "icon.svg",
            "api.js",
            "charts.js",
            "dom.js",
            "format.js",
            "lines.js",
            "list.js",
            "poll.js",
            "status.js",
            "table.js");

    private final Map<String, Page> byName = new HashMap<>();

    /**
     * Reads the files.
     *
     * @param place class in whose module the server's own files are
     * @param folder their folder, from the root of the class path or relative to the class's package
     * @param names their names
     * @throws IllegalStateException if a file is missing
     */
    public PageFiles(Class<?> place, String folder, String... names) {
        SHARED.forEach(name -> byName.put(name, ResourcePages.read(PageFiles.class, "page/" + name)));
        for (String name : names) {
            byName.put(name, ResourcePages.read(place, folder + "/" + name));
        }
    }

    /** Returns a file; null if there is none of this name. */
    public Page get(String name) {
        return byName.get(name);
    }
}
