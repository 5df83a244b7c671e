package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * The pages of a file, shared with all other users of the file. Dropped pages are replaced by anonymous pages, which
 * are not part of the file. A stale address therefore reads zeros, and the file can be freed.
 *
 * @param writable whether users can write to the pages; writing to read-only pages may crash the process
 */
record FilePages(MemoryCalls calls, long address, long length, boolean writable) implements Pages {
    /** Maps an open file. Rounds the file's length up to whole pages. */
    static FilePages map(MemoryCalls calls, int descriptor, long fileLength, boolean writable) {
        long length = wholePages(calls, fileLength);
        return new FilePages(calls, calls.mmapFile(descriptor, length, writable), length, writable);
    }

    /** Returns the same pages for read-only users. */
    FilePages readOnly() {
        return new FilePages(calls, address, length, false);
    }

    /** Rounds a file's length up to whole pages. */
    static long wholePages(MemoryCalls calls, long fileLength) {
        long page = calls.pageLength();
        return (fileLength + page - 1) & -page;
    }

    @Override
    public ByteBuffer view(long offset, int length) {
        ByteBuffer view = calls.view(address + offset, length);
        return writable ? view : view.asReadOnlyBuffer();
    }

    @Override
    public void drop(long offset, long length) {
        calls.mmapOver(address + offset, length);
    }

    @Override
    public void zero(long offset, long length) {
        throw new UnsupportedOperationException("the memory of a file is not cleared");
    }

    @Override
    public void unmap() {
        calls.munmap(address, length);
    }
}
