package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * Private anonymous pages from mmap, without reserved swap space. A page is committed when it is first touched. Pages
 * can be returned to the system individually.
 */
record MappedPages(MemoryCalls calls, long address, long length) implements Pages {
    static MappedPages reserve(MemoryCalls calls, long length) {
        return new MappedPages(calls, calls.mmap(length), length);
    }

    /**
     * Verifies, with one page, that madvise clears memory. The reuse of regions relies on this, and some Linux
     * emulators ignore the call.
     */
    static void probe(MemoryCalls calls) {
        MappedPages page = reserve(calls, calls.pageLength());
        try {
            ByteBuffer view = page.view(0, 1);
            view.put(0, (byte) 1);
            page.drop(0, page.length());
            if (view.get(0) != 0) {
                throw new MemoryException("madvise does not clear pages on this system");
            }
        } finally {
            page.unmap();
        }
    }

    @Override
    public ByteBuffer view(long offset, int length) {
        return calls.view(address + offset, length);
    }

    @Override
    public void drop(long offset, long length) {
        if (!tryDrop(offset, length)) {
            zero(offset, length);
        }
    }

    /** Returns false if the system refuses because the pages are locked in memory, for example by mlockall. */
    @Override
    public boolean tryDrop(long offset, long length) {
        return calls.dontNeed(address + offset, length);
    }

    @Override
    public void zero(long offset, long length) {
        calls.zero(address + offset, length);
    }

    @Override
    public void unmap() {
        calls.munmap(address, length);
    }
}
