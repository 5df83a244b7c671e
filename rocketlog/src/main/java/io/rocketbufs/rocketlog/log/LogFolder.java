package io.rocketbufs.rocketlog.log;

import java.io.IOException;
import java.util.List;

/**
 * The folder that contains the files of one partition. Tests implement it with a simulated disk.
 *
 * <p><i>Thread-safety:</i> any thread; the log changes the same file from one thread at a time.
 */
interface LogFolder {
    /** Returns the path of a file, for messages. */
    String path(String name);

    /** Returns the maximum number of segments; a further one replaces the oldest. */
    default int mostSegments() {
        return Integer.MAX_VALUE;
    }

    /** Returns the names of all files. */
    List<String> names() throws IOException;

    /** Opens an existing file. */
    LogFile open(String name) throws IOException;

    /** Creates an empty file that must not exist, and opens it. If opening fails, the file is removed. */
    LogFile createNew(String name) throws IOException;

    /** Creates an empty file, replacing an existing one, and opens it. */
    LogFile create(String name) throws IOException;

    /** Deletes a file if it exists. */
    void delete(String name) throws IOException;

    /** Removes the folder, which must be empty, if it exists. Forcing its parent makes this survive a crash. */
    void remove() throws IOException;

    /** Renames a file, replacing an existing one. */
    void rename(String from, String to) throws IOException;

    /**
     * Makes created, renamed and deleted names survive a crash of the machine.
     *
     * @throws ForceException as for {@link LogFile#force}
     * @throws IOException if the folder cannot be opened; the names may be forced later
     */
    void force() throws IOException;
}
