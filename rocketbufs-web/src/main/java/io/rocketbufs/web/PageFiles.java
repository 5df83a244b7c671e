package io.rocketbufs.web;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of an operator's page: files shared by all servers' pages, and files of one server. The shared files
 * include an unmodified copy of uPlot, and its licence as a separate file.
 *
 * <p><b>Thread-safety:</b> immutable.
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
     * @param place class in the module that contains the server's own files
     * @param folder folder of the files, from the root of the class path or relative to the class's package
     * @param names names of the files
     * @throws IllegalStateException if a file is missing
     */
    public PageFiles(Class<?> place, String folder, String... names) {
        SHARED.forEach(name -> byName.put(name, ResourcePages.read(PageFiles.class, "page/" + name)));
        for (String name : names) {
            byName.put(name, ResourcePages.read(place, folder + "/" + name));
        }
    }

    /** Returns a file, or null if there is no file with this name. */
    public Page get(String name) {
        return byName.get(name);
    }
}
