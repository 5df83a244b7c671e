package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * The pages of one slab, however they were obtained. Offsets and lengths are in bytes and are not checked here.
 *
 * <p><i>Thread-safety:</i> any thread, for ranges that do not overlap.
 *
 * <p><i>Ownership:</i> the slab's. An implementation does not refer to its slab, so that it can outlive the slab and
 * unmap the pages when the slab has become unreachable.
 */
interface Pages {
    /** Returns the page-aligned address of the first byte. */
    long address();

    /** Returns the length in bytes, whole pages. */
    long length();

    /** Returns a new direct buffer over a range. It need not keep the pages alive; its caller does. */
    ByteBuffer view(long offset, int length);

    /** Makes a range of whole pages read as zero and returns its physical pages where that is possible. */
    void drop(long offset, long length);

    /** Makes a range read as zero without replacing a physical page. */
    void zero(long offset, long length);

    /** Unmaps the address range, which must not be accessed after this call. */
    void unmap();
}
