package io.rocketbufs.memory;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Operations on the disk space of files that are written rather than mapped: reserving space and finding holes.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
public final class FileSpace {
    private FileSpace() {}

    /**
     * Reserves space for an existing file, and sets the file's length. Later writes to this space cannot fail because
     * the disk is full, and need not update the stored length. Existing bytes keep their values, even if they are
     * written during the call; new bytes read as zero. Does nothing if the system or the file system does not support
     * reservation.
     *
     * @param length new length in bytes; a file that is already longer keeps its length
     * @throws IOException naming the file and the system's reason, such as a full disk
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

    /**
     * Allocates the blocks of an existing file up to the given length, and sets the file's length, like
     * {@link #allocate}. If the file system does not support this, the C library writes to each block instead, so no
     * other thread may write to the file during the call. After that, a store to a mapping of the file cannot fail
     * because the disk is full.
     *
     * @param length new length in bytes; a file that is already longer keeps its length
     * @throws IOException naming the file and the system's reason, such as a full disk
     * @throws MemoryException if the C library cannot be called
     */
    public static void fill(Path file, long length) throws IOException {
        FileCalls files;
        try {
            files = new FileCalls(CLibrary.open());
        } catch (LinkageError e) {
            throw new MemoryException("cannot allocate blocks: the C library cannot be called: " + e.getMessage(), e);
        }
        String name = file.toString();
        int descriptor = files.open(name, true);
        try {
            files.allocate(descriptor, length, name);
        } finally {
            files.close(descriptor);
        }
    }

    /**
     * Returns the first position at or after {@code from} that may contain a non-zero byte, or {@link Long#MAX_VALUE}
     * if a hole extends to the end of the file.
     *
     * @throws IOException naming the file and the system's reason, such as a lack of descriptors
     */
    public static long nextData(Path file, long from) throws IOException {
        FileCalls files;
        try {
            files = new FileCalls(CLibrary.open());
        } catch (LinkageError | MemoryException e) {
            return from; // the C library cannot be called
        }
        int descriptor = files.open(file.toString(), false);
        try {
            return files.nextData(descriptor, from);
        } finally {
            files.close(descriptor);
        }
    }
}
