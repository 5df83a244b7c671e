package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * The pages of one slab, regardless of how they were obtained. Offsets and lengths are in bytes; implementations do not
 * check them.
 *
 * <p><i>Thread-safety:</i> any thread, for ranges that do not overlap.
 *
 * <p><i>Ownership:</i> owned by the slab. An implementation does not refer to its slab. It can therefore outlive the
 * slab and unmap the pages once the slab has become unreachable.
 */
interface Pages {
    /** Returns the page-aligned address of the first byte. */
    long address();

    /** Returns the length in bytes, a multiple of the page length. */
    long length();

    /** Returns false if the pages are read-only; a store to a read-only page would crash the process. */
    default boolean writable() {
        return true;
    }

    /**
     * Returns a new direct buffer over a range; the buffer is read-only if the pages are. The caller must keep the
     * pages mapped.
     */
    ByteBuffer view(long offset, int length);

    /** Clears a range of whole pages and returns its physical pages to the system if possible. */
    void drop(long offset, long length);

    /**
     * Returns the physical pages of a range of whole pages to the system, which clears the range. If this is not
     * possible, changes nothing and returns false.
     */
    default boolean tryDrop(long offset, long length) {
        return false;
    }

    /** Clears a range without replacing any physical page. */
    void zero(long offset, long length);

    /** Unmaps the address range, which must not be accessed after this call. */
    void unmap();
}
