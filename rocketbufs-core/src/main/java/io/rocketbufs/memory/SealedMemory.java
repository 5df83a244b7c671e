package io.rocketbufs.memory;

import java.io.IOException;

/**
 * Files that exist only in memory, for sharing with other processes. All pages are allocated when a file is created. A
 * lack of memory therefore causes an exception at that point rather than a signal later. No process can change the
 * length of such a file.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
public final class SealedMemory {
    private SealedMemory() {}

    /**
     * Creates a zero-filled file, and returns its descriptor, which the caller must close.
     *
     * @param name shown in {@code /proc}, at most 249 bytes; need not be unique
     * @param length length in bytes, positive
     * @throws CallException if the system refuses, for example because memory is used up
     * @throws MemoryException if the C library lacks a function
     * @throws LinkageError if the C library cannot be called
     */
    public static int create(String name, long length) throws IOException {
        FileCalls files = new FileCalls(CLibrary.open());
        int descriptor = createUnsealed(files, name, length);
        try {
            files.sealSeals(descriptor, name);
            return descriptor;
        } catch (IOException | RuntimeException | Error e) {
            files.close(descriptor);
            throw e;
        }
    }

    /** Creates a file like {@link #create}, but the creator can add further seals. */
    static int createUnsealed(FileCalls files, String name, long length) throws IOException {
        int descriptor = files.memory(name);
        try {
            files.allocate(descriptor, length, name);
            files.sealLength(descriptor, name);
            return descriptor;
        } catch (IOException | RuntimeException | Error e) {
            files.close(descriptor);
            throw e;
        }
    }
}
