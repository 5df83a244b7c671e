package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * The pages of one slab, whichever way they were obtained. Offsets and lengths are in bytes and are not checked here.
 *
 * <p><i>Thread-safety:</i> any thread, for ranges that do not overlap.
 *
 * <p><i>Ownership:</i> the slab's. An implementation knows no slab, so that it can outlive one: it is what remains when
 * a slab has become unreachable.
 */
interface Pages {
    /** Returns the page-aligned address of the first byte. */
    long address();

    /** Returns the length in bytes, whole pages. */
    long length();

    /** Returns a new direct buffer over a range. It need not keep the pages alive; its caller does. */
    ByteBuffer view(long offset, int length);

    /** Makes a range of whole pages read as zero and gives its physical pages back where that is possible. */
    void drop(long offset, long length);

    /** Makes a range read as zero without exchanging a physical page. */
    void zero(long offset, long length);

    /** Gives the address range back; it is not to be touched again. */
    void unmap();
}
