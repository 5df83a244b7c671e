package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The removal of folders together with the file that stands for them. A crash leaves the file and everything in the
 * folders, or a marked file, which shows that the removal must be finished.
 *
 * <pre>
 *   topics/orders ---- begin ----&gt; topics/orders~deleted ---- finish ----&gt; nothing
 *   orders-0/...                   orders-0/... in part
 *                  one rename,                             folders first, each forced,
 *                  forced                                  then the marked file, forced
 * </pre>
 *
 * <p><i>Thread-safety:</i> stateless; one thread at a time may use a file.
 */
public final class FolderRemoval {
    /** Ends the names of marked files. */
    private static final String MARK = "~deleted";

    private FolderRemoval() {}

    /** Returns true for the name of a marked file. */
    public static boolean isMarked(String name) {
        return name.endsWith(MARK);
    }

    /** Returns the name of a file once it is marked. */
    public static String marked(String name) {
        return name + MARK;
    }

    /**
     * Returns the names of the files whose removal has begun, before they were marked. A crash may have left a file
     * under both names; its removal had not begun, so this removes the mark. All marks are forced, so that folders can
     * be removed.
     *
     * @throws LogException if a disk operation fails
     */
    public static List<String> unfinished(Path folder) {
        try {
            DiskFolder existing = DiskFolder.readOnly(folder);
            return existing.exists() ? unfinished(existing) : List.of();
        } catch (IOException e) {
            throw LogException.of("read", folder.toString(), e);
        }
    }

    static List<String> unfinished(LogFolder folder) throws IOException {
        List<String> begun = new ArrayList<>();
        List<String> names = folder.names();
        for (String each : names) {
            String name = isMarked(each) ? each.substring(0, each.length() - MARK.length()) : null;
            if (name != null && names.contains(name)) {
                folder.delete(each);
                folder.force();
            } else if (name != null) {
                begun.add(name);
            }
        }
        if (!begun.isEmpty()) {
            folder.force(); // the process that has marked them may have ended before it did this
        }
        return begun;
    }

    /**
     * Marks the file, and returns when the disk has stored that.
     *
     * @param folder contains the file
     * @throws LogException if a disk operation fails; the file is then not marked, unless that fails, too
     */
    public static void begin(Path folder, String name) {
        try {
            begin(DiskFolder.readOnly(folder), name);
        } catch (IOException e) {
            throw LogException.of("rename", folder.resolve(name).toString(), e);
        }
    }

    static void begin(LogFolder folder, String name) throws IOException {
        folder.rename(name, marked(name));
        try {
            folder.force();
        } catch (IOException e) {
            folder.rename(marked(name), name);
            throw e;
        }
    }

    /**
     * Removes the folders and the marked file, and returns when the disk has stored that. Can be called again if it
     * fails.
     *
     * @param folder contains the marked file
     * @param name of the file before it was marked
     * @param removed the folders; they need not exist
     * @throws LogException if a disk operation fails, or a folder contains something other than files; names the folder
     */
    public static void finish(Path folder, String name, List<Path> removed) {
        List<LogFolder> existing = new ArrayList<>();
        for (Path each : removed) {
            DiskFolder found = DiskFolder.readOnly(each);
            if (found.exists()) {
                existing.add(found);
            }
        }
        finish(DiskFolder.readOnly(folder), name, existing);
    }

    static void finish(LogFolder folder, String name, List<LogFolder> removed) {
        LogFolder current = folder;
        try {
            for (LogFolder each : removed) {
                current = each;
                empty(each);
            }
            current = folder;
            folder.delete(marked(name));
            folder.force();
        } catch (IOException e) {
            throw LogException.of("delete", current.path(""), e);
        }
    }

    private static void empty(LogFolder folder) throws IOException {
        for (String each : folder.names()) {
            folder.delete(each);
        }
        folder.force();
        folder.remove();
    }
}
