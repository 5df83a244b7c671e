package io.rocketbufs.memory;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that is mapped into memory as a {@link Region}. Transports can send from the region, and peers can be granted
 * access to it.
 *
 * <p>Bytes written to the region are immediately visible in the file to all readers on this machine, and survive the
 * end of the process. They survive a power failure only after {@link #force}.
 *
 * <p>The blocks of a created file are allocated rather than left as holes. A store to a hole on a full disk would crash
 * the process with SIGBUS. {@link #create} throws an exception instead if the disk is full. On copy-on-write file
 * systems, such as Btrfs, allocated blocks do not prevent the crash. Files that {@link #open} maps may have holes.
 *
 * <p>No other process may shorten the file while it is mapped. Otherwise, Java code that accesses memory beyond the new
 * end fails with an {@link InternalError}, and native code crashes the process. A file in memory cannot be shortened.
 *
 * <p><i>Thread-safety:</i> any thread.
 *
 * <p><i>Ownership:</i> owns one lease on its region until it is closed. Each user of the region's memory, such as an
 * outstanding write or a grant, holds another lease. The file stays mapped until the last lease has been released and
 * every registration with a device has ended. The space of a deleted file becomes free only then. Windows stay usable
 * after that, but their memory is no longer part of the file.
 */
public final class MappedFile implements AutoCloseable {
    /**
     * True if the kernel pins a file's pages for a device only if they are mapped for writing. This applies even to a
     * device that only reads.
     */
    private static final boolean PINS_ONLY_WRITABLE = KernelVersion.isBefore(System.getProperty("os.version"), 6, 2);

    private final FileCalls files;
    private final MemoryCalls memory;
    private final int descriptor;
    private final String name;
    private final FilePages pages;
    private final Region region;
    private volatile long length;
    /** The access that other processes may have to the file. Guarded by this. */
    private Sharing sharing = Sharing.READ;

    private IOException forceFailure;
    private boolean closed;

    private MappedFile(CLibrary library, int descriptor, String name, Access access) throws IOException {
        this.files = new FileCalls(library);
        this.memory = new MemoryCalls(library);
        this.descriptor = descriptor;
        this.name = name;
        length = files.length(descriptor, name);
        if (length == 0) {
            throw new FileSystemException(name, null, "is empty; an empty file cannot be mapped");
        }
        try {
            pages = access == Access.PINNABLE
                    ? mapPinnable()
                    : FilePages.map(memory, descriptor, length, access == Access.WRITE);
        } catch (MemoryException e) {
            throw new MemoryException(name + ": cannot be mapped: length=" + length + ": " + e.getMessage(), e);
        }
        Slab slab = new Slab(pages);
        slab.regionTaken();
        region = new Region(slab, slab.address(), length, MappedFile::release, this::openAgain);
    }

    /** The access with which a file is mapped. */
    enum Access {
        READ,
        /** Like READ, but the pages are mapped for writing if the file permits this. */
        PINNABLE,
        WRITE
    }

    /** The access of processes that receive a descriptor of a file. */
    private enum Sharing {
        /** No access, because a process could use a descriptor for reading to write to the memory. */
        NONE,
        READ,
        /** Reading and writing. A descriptor for reading would also permit writing. */
        WRITE
    }

    private FilePages mapPinnable() {
        int writable;
        try {
            writable = files.open("/proc/self/fd/" + descriptor, true);
        } catch (IOException e) {
            return FilePages.map(memory, descriptor, length, false);
        }
        try {
            return FilePages.map(memory, writable, length, true).readOnly();
        } finally {
            files.close(writable);
        }
    }

    /**
     * Creates a zero-filled file with allocated blocks, and maps it. If an error occurs, the file is deleted.
     *
     * @param length length of the file in bytes
     * @throws IllegalArgumentException if length is not positive
     * @throws IOException naming the file and the system's reason: for example, if the file exists, its directory does
     *     not exist, or the disk is full
     * @throws MemoryException if the address space is used up, or files cannot be mapped on this system
     */
    public static MappedFile create(Path path, long length) throws IOException {
        requirePositive(length);
        CLibrary library = library();
        FileCalls files = new FileCalls(library);
        String name = path.toString();
        int descriptor = files.create(name);
        boolean mapped = false;
        try {
            files.allocate(descriptor, length, name);
            MappedFile file = new MappedFile(library, descriptor, name, Access.WRITE);
            mapped = true;
            return file;
        } finally {
            if (!mapped) {
                files.close(descriptor);
                Files.deleteIfExists(path);
            }
        }
    }

    /**
     * Creates a zero-filled file that exists only in memory, and maps it. Its memory is committed immediately. Its
     * {@link #descriptor()} can be passed to another process, which can then read the file. No process can change the
     * file's length. Since Linux 5.1, no process can write to the file except through this mapping.
     *
     * @param name shown in {@code /proc}, at most 249 bytes; need not be unique
     * @param length length of the file in bytes
     * @throws IllegalArgumentException if length is not positive
     * @throws IOException if the system refuses, for example because memory is used up
     * @throws MemoryException if the address space is used up, or files cannot be mapped on this system
     */
    public static MappedFile memory(String name, long length) throws IOException {
        return memory(name, length, false);
    }

    /**
     * Creates memory like {@link #memory}, for words on which peers use atomic operations. If the transport shares
     * memory, a process on this machine can carry out the operations itself. This requires a grant of the whole memory
     * that gives the right to atomic operations but not the right to write.
     *
     * <p>Until it terminates, such a process can store any number in any word: neither a revocation nor the end of the
     * connection takes the memory away from the process. This memory must therefore contain only words that each of its
     * users may set to any number. Close the memory once all grants of it have been revoked, and create new memory for
     * other users. {@link #close} frees the memory even if such a process keeps it open; the words are then 0.
     *
     * @param length length in bytes, a multiple of 8
     * @throws IllegalArgumentException if length is not positive, or not a multiple of 8
     * @throws IOException if the system refuses, for example because memory is used up
     * @throws MemoryException if the address space is used up, or files cannot be mapped on this system
     */
    public static MappedFile words(String name, long length) throws IOException {
        if (length % Long.BYTES != 0) {
            throw new IllegalArgumentException("the length of words must be a multiple of 8: length=" + length);
        }
        return memory(name, length, true);
    }

    private static MappedFile memory(String name, long length, boolean isForWords) throws IOException {
        requirePositive(length);
        CLibrary library = library();
        FileCalls files = new FileCalls(library);
        int descriptor = SealedMemory.createUnsealed(files, name, length);
        boolean mapped = false;
        try {
            if (isForWords) {
                files.sealSeals(descriptor, name);
            }
            MappedFile file = new MappedFile(library, descriptor, name, Access.WRITE);
            if (isForWords) {
                file.sharing = Sharing.WRITE;
            } else if (!files.sealWrites(descriptor)) { // last: does not apply to existing mappings
                file.sharing = Sharing.NONE;
            }
            mapped = true;
            return file;
        } finally {
            if (!mapped) {
                files.close(descriptor);
            }
        }
    }

    /**
     * Maps an existing file for reading and writing, with its current length.
     *
     * @throws IOException naming the file and the reason: for example, if it does not exist or is empty
     * @throws MemoryException if the address space is used up, or files cannot be mapped on this system
     */
    public static MappedFile open(Path path) throws IOException {
        return open(path, Access.WRITE);
    }

    /**
     * Maps an existing file read-only, with its current length. Transports can send from the region. No peer can be
     * granted the right to write to the region, and its windows are read-only.
     *
     * @throws IOException naming the file and the reason: for example, if it does not exist or is empty
     * @throws MemoryException if the address space is used up, or files cannot be mapped on this system
     */
    public static MappedFile openReadOnly(Path path) throws IOException {
        return open(path, PINS_ONLY_WRITABLE ? Access.PINNABLE : Access.READ);
    }

    static MappedFile open(Path path, Access access) throws IOException {
        CLibrary library = library();
        FileCalls files = new FileCalls(library);
        String name = path.toString();
        int descriptor = files.open(name, access == Access.WRITE);
        boolean mapped = false;
        try {
            MappedFile file = new MappedFile(library, descriptor, name, access);
            mapped = true;
            return file;
        } finally {
            if (!mapped) {
                files.close(descriptor);
            }
        }
    }

    private static CLibrary library() {
        try {
            return CLibrary.open();
        } catch (LinkageError e) {
            throw new MemoryException("cannot map files: the C library cannot be called: " + e.getMessage(), e);
        }
    }

    private static void requirePositive(long length) {
        if (length <= 0) {
            throw new IllegalArgumentException("length must be positive: length=" + length);
        }
    }

    /** Returns the bytes of the file. Retain the region to use it after {@link #close}. */
    public Region region() {
        return region;
    }

    /**
     * Returns the number of bytes of the region that belong to the file. After {@link #truncate} or
     * {@link #detachAfter}, this is less than the region's length.
     */
    public long length() {
        return length;
    }

    /**
     * Returns the file descriptor, which stays open until {@link #close}. This object owns the descriptor: duplicate it
     * before passing it to another process.
     */
    public synchronized int descriptor() {
        requireOpen();
        return descriptor;
    }

    /**
     * Writes changed bytes to the disk, and waits until the disk has stored them (fdatasync). The file's name is
     * durable only after the file's directory has also been forced.
     *
     * <p>A failure is permanent, and all later calls also fail. The system may have discarded bytes that it could not
     * write, and reports this only once.
     *
     * @throws IOException naming the file and the reason
     * @throws IllegalStateException if the file is closed
     */
    public synchronized void force() throws IOException {
        requireOpen();
        if (forceFailure != null) {
            throw new IOException("an earlier force failed: " + forceFailure.getMessage(), forceFailure);
        }
        try {
            files.force(descriptor, name);
        } catch (IOException e) {
            forceFailure = e;
            throw e;
        }
    }

    /**
     * Shortens the file to {@code newLength} bytes, and frees the space beyond the new end. The region's whole pages
     * beyond the new length then read as zero and are no longer part of the file. No peer may have access to the range
     * that is cut off.
     *
     * @param newLength from 1 to {@link #length()}
     * @throws IllegalArgumentException if newLength is outside these limits
     * @throws IllegalStateException if the file is closed
     * @throws IOException naming the file and the reason: for example, if the file is read-only or in memory
     */
    public synchronized void truncate(long newLength) throws IOException {
        requireOpen();
        if (newLength < 1 || newLength > length) {
            throw new IllegalArgumentException(
                    name + ": newLength must be from 1 to " + length + ": newLength=" + newLength);
        }
        files.truncate(descriptor, newLength, name);
        length = newLength;
        long kept = FilePages.wholePages(memory, newLength);
        if (kept < pages.length()) {
            pages.drop(kept, pages.length() - kept);
        }
    }

    /**
     * Detaches the region's whole pages after {@code keptLength} from the file. After that, the pages read as zero,
     * except through a device that has pinned them. The file can then be shortened to the kept length, even while peers
     * have access to the region.
     *
     * @param keptLength from 0 to {@link #length()}
     * @throws IllegalArgumentException if keptLength is outside these limits
     * @throws IllegalStateException if the file is closed
     */
    public synchronized void detachAfter(long keptLength) {
        requireOpen();
        if (keptLength < 0 || keptLength > length) {
            throw new IllegalArgumentException(
                    name + ": keptLength must be from 0 to " + length + ": keptLength=" + keptLength);
        }
        length = keptLength;
        long kept = FilePages.wholePages(memory, keptLength);
        if (kept < pages.length()) {
            pages.drop(kept, pages.length() - kept);
        }
    }

    /**
     * Opens the file again if the region is still the whole file. Uses the system's link to the open file, because the
     * file's name may now refer to another file. A duplicate of the descriptor could not be restricted to reading.
     */
    private synchronized int openAgain(boolean isForWriting) {
        try {
            boolean isWhole = !closed && length == region.length() && files.length(descriptor, name) == length;
            boolean isShared = sharing == (isForWriting ? Sharing.WRITE : Sharing.READ);
            return isWhole && isShared ? files.open("/proc/self/fd/" + descriptor, isForWriting) : Region.NO_FILE;
        } catch (IOException e) {
            return Region.NO_FILE;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the file is closed: " + name);
        }
    }

    /**
     * Releases this object's lease and closes the descriptor. Forces nothing to the disk. Words become 0 in all
     * processes, even if other leases remain. Idempotent.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (sharing == Sharing.WRITE) {
                files.free(descriptor, pages.length());
            }
            files.close(descriptor);
        }
        region.release();
    }

    private static void release(Region region) {
        region.slab().retire();
        region.slab().regionReleased();
    }
}
