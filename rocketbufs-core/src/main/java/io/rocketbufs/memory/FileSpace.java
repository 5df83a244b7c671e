package io.rocketbufs.memory;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Disk space for files that are written to, not mapped. Later writes into the space do not fail because the disk is
 * full, and need no new length to be stored.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
public final class FileSpace {
    private FileSpace() {}

    /**
     * Reserves space for an existing file, and sets its length. Existing bytes keep their values, even if they are
     * written during the call; new ones read as zero. If the system or the file system has no support for it, this does
     * nothing.
     *
     * @param length new length in bytes; a longer file stays as it is
     * @throws IOException with the file and the system's reason, such as a full disk
     */
    public static void allocate(Path file, long length) throws IOException {
        FileCalls files;
        try {
            files = new FileCalls(CLibrary.open());
        } catch (LinkageError | MemoryException e) {
            return; // the C library cannot be called
        }
        String name = file.toString();
        int descriptor = files.open(name, true);
        try {
            files.reserve(descriptor, length, name);
        } finally {
            files.close(descriptor);
        }
    }
}
