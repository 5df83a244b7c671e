package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.util.List;

/**
 * The folder that contains the files of one partition. Tests implement it with a simulated disk.
 *
 * <p><i>Thread-safety:</i> any thread; the log changes the same file from one thread at a time.
 */
interface LogFolder {
    /** Returns the path of a file, for use in messages. */
    String path(String name);

    /** Returns the maximum number of segments. An additional segment replaces the oldest segment. */
    default int mostSegments() {
        return Integer.MAX_VALUE;
    }

    /** Returns the names of all files. */
    List<String> names() throws IOException;

    /** Opens an existing file. */
    LogFile open(String name) throws IOException;

    /** Creates and opens an empty file, which must not exist yet. If opening the file fails, it is removed. */
    LogFile createNew(String name) throws IOException;

    /** Creates and opens an empty file, replacing any existing file. */
    LogFile create(String name) throws IOException;

    /** Deletes a file if it exists. */
    void delete(String name) throws IOException;

    /** Removes the folder if it exists. The folder must be empty. Forcing its parent makes the removal durable. */
    void remove() throws IOException;

    /** Renames a file, replacing any existing file with the new name. */
    void rename(String from, String to) throws IOException;

    /**
     * Makes the creation, renaming and deletion of files survive a crash of the machine.
     *
     * @throws ForceException as for {@link LogFile#force}
     * @throws IOException if the folder cannot be opened; the names may be forced later
     */
    void force() throws IOException;
}
