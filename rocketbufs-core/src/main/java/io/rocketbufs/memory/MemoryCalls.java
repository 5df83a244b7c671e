package io.rocketbufs.memory;

import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.PageManager;
import java.nio.ByteBuffer;

/**
 * The memory functions of the C library, with one method for each use.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class MemoryCalls {
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 0x01;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MADV_DONTNEED = 4;
    private static final int NO_FILE = -1;
    private static final long MAP_FAILED = -1;

    private final CLibrary library;
    private final long mmap;
    private final long munmap;
    private final long madvise;
    private final long memset;

    MemoryCalls(CLibrary library) {
        this.library = library;
        this.mmap = library.function("mmap");
        this.munmap = library.function("munmap");
        this.madvise = library.function("madvise");
        this.memset = library.function("memset");
    }

    /**
     * Looks up the functions in the C library.
     *
     * @throws LinkageError if jffi or its native part cannot be loaded
     * @throws MemoryException if this system is not supported, or a function is missing
     */
    static MemoryCalls load() {
        return new MemoryCalls(CLibrary.open());
    }

    long pageLength() {
        return PageManager.getInstance().pageSize();
    }

    /**
     * Reserves private anonymous pages, each of which is committed when it is first touched. If the system refuses,
     * throws an exception with the reason.
     */
    long mmap(long length) {
        return mapped(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, NO_FILE);
    }

    /**
     * Maps an open file from its first byte, shared with other users of the file. If the system refuses, throws an
     * exception with the reason.
     */
    long mmapFile(int descriptor, long length, boolean writable) {
        return mapped(0, length, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, descriptor);
    }

    /** Replaces mapped pages with anonymous pages, which read as zero. If the system refuses, throws an exception. */
    void mmapOver(long address, long length) {
        mapped(
                address,
                length,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                NO_FILE);
    }

    private long mapped(long at, long length, int protection, int flags, int descriptor) {
        long address = library.call(mmap, at, length, protection, flags, descriptor, 0);
        if (address == MAP_FAILED) {
            throw new MemoryException("mmap: " + library.text(library.errno())
                    + "; check the limits ulimit -v, vm.max_map_count and vm.overcommit_memory");
        }
        return address;
    }

    void munmap(long address, long length) {
        library.call(munmap, address, length);
    }

    /**
     * Returns the physical pages of a range to the system; the range then reads as zero. Returns false if the system
     * refuses.
     */
    boolean dontNeed(long address, long length) {
        return (int) library.call(madvise, address, length, MADV_DONTNEED) == 0;
    }

    void zero(long address, long length) {
        library.call(memset, address, 0, length);
    }

    /** Returns a new direct buffer over the given memory. The buffer keeps no other object alive. */
    ByteBuffer view(long address, int length) {
        return MemoryIO.getInstance().newDirectByteBuffer(address, length);
    }
}
