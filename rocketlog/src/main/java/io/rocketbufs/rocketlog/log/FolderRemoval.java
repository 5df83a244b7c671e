package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The removal of folders together with the file that represents them. After a crash, an unmarked file means that the
 * folders are complete, even if a marked file also exists. A marked file without an unmarked file means that the
 * removal must be finished.
 *
 * <pre>
 *   topics/orders -- begin --&gt; topics/orders~deleted -- remove --&gt; topics/orders~deleted -- end --&gt; nothing
 *   orders-0/...               orders-0/...             each
 *                 one rename,                           folder                           folder names forced,
 *                 forced                                                                 marked file removed,
 *                                                                                        and forced
 * </pre>
 *
 * <p>The number of fsync calls does not depend on the number of folders. Files that reappear after a crash are deleted
 * when the removal is finished.
 *
 * <p><i>Thread-safety:</i> stateless; only one thread at a time may operate on a file.
 */
public final class FolderRemoval {
    /** Suffix of the names of marked files. */
    private static final String MARK = "~deleted";

    private FolderRemoval() {}

    /** Returns true for the name of a marked file. */
    public static boolean isMarked(String name) {
        return name.endsWith(MARK);
    }

    /** Returns the marked name of a file. */
    public static String marked(String name) {
        return name + MARK;
    }

    /**
     * Returns the original names of the files whose removal has begun. If a crash has left a file under both names, its
     * removal had not begun, so this method removes the mark. Forces all other marks, so that folders can be removed.
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
            folder.force(); // the process that marked the files may have crashed before forcing the marks
        }
        return begun;
    }

    /**
     * Marks the file, and returns when the disk has stored the mark.
     *
     * @param folder folder that contains the file
     * @throws LogException if a disk operation fails. The file then remains unmarked, even after a crash, unless the
     *     message states that the file may be marked
     */
    public static void begin(Path folder, String name) {
        begin(DiskFolder.readOnly(folder), name);
    }

    static void begin(LogFolder folder, String name) {
        boolean isMarked = false;
        try {
            folder.rename(name, marked(name));
            isMarked = true;
            folder.force();
        } catch (IOException e) {
            LogException refused = LogException.of("rename", folder.path(name), e);
            throw isMarked ? unmark(folder, name, refused) : refused;
        }
    }

    /**
     * Removes the mark, which the disk may have stored even though forcing it failed. Returns the exception to throw.
     */
    private static LogException unmark(LogFolder folder, String name, LogException refused) {
        try {
            folder.rename(marked(name), name);
            folder.force();
            return refused;
        } catch (IOException e) {
            refused.addSuppressed(e);
            return new LogException(
                    refused.code(), refused.getMessage(), "a crash or a restart may still remove it", refused);
        }
    }

    /**
     * Removes a folder and the files in it. If the machine crashes before {@link #end} returns, any part of the folder
     * may reappear.
     *
     * @param folder folder to remove; need not exist
     * @throws LogException if a disk operation fails, or the folder contains anything other than files; the message
     *     names it
     */
    public static void remove(Path folder) {
        DiskFolder existing = DiskFolder.readOnly(folder);
        if (existing.exists()) {
            remove(existing);
        }
    }

    /**
     * Removes several folders as {@link #remove(Path)} does.
     *
     * @param parent folder that contains the folders
     * @param isWanted returns true for the names of the folders to remove
     * @return the names of the removed folders
     */
    public static List<String> removeAll(Path parent, Predicate<String> isWanted) {
        List<Path> folders;
        try (Stream<Path> children = Files.list(parent)) {
            folders = children.filter(each -> isWanted.test(each.getFileName().toString()))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw LogException.of("read", parent.toString(), e);
        }
        folders.forEach(FolderRemoval::remove);
        return folders.stream().map(each -> each.getFileName().toString()).toList();
    }

    static void remove(LogFolder folder) {
        try {
            for (String each : folder.names()) {
                folder.delete(each);
            }
            folder.remove();
        } catch (IOException e) {
            throw LogException.of("delete", folder.path(""), e);
        }
    }

    /**
     * Removes the marked file. Must be called after all folders have been removed, and returns when the disk has stored
     * the removal of the folders and the file. Can be called again if it fails.
     *
     * @param parent folder that contained the removed folders
     * @param folder folder that contains the marked file
     * @param name name of the file before it was marked
     * @throws LogException if a disk operation fails
     */
    public static void end(Path parent, Path folder, String name) {
        end(DiskFolder.readOnly(parent), DiskFolder.readOnly(folder), name);
    }

    static void end(LogFolder parent, LogFolder folder, String name) {
        try {
            parent.force(); // otherwise, a folder could reappear without the file that requires its removal
            folder.delete(marked(name));
            folder.force();
        } catch (IOException e) {
            throw LogException.of("delete", folder.path(marked(name)), e);
        }
    }
}
