package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * The pages of a direct buffer, aligned manually; the fallback if mmap is not available. These pages count against
 * {@code -XX:MaxDirectMemorySize} and are committed immediately. They are freed when the garbage collector finds the
 * buffer and all views of it unreachable.
 */
record DirectPages(ByteBuffer buffer, long address, long length) implements Pages {
    private static final byte[] ZEROS = new byte[1 << 16];

    static DirectPages reserve(long pageLength, long length) {
        if (length > Integer.MAX_VALUE - pageLength) {
            throw new MemoryException("a direct buffer holds at most " + Integer.MAX_VALUE + " bytes");
        }
        ByteBuffer whole = allocate((int) (length + pageLength));
        ByteBuffer aligned = whole.alignedSlice((int) pageLength).slice(0, (int) length);
        return new DirectPages(aligned, DirectAddress.of(aligned), length);
    }

    private static ByteBuffer allocate(int length) {
        try {
            return ByteBuffer.allocateDirect(length);
        } catch (OutOfMemoryError e) {
            // This error means that the limit on direct memory has been reached; the heap is not affected.
            throw new MemoryException("allocateDirect: " + e.getMessage(), e);
        }
    }

    @Override
    public ByteBuffer view(long offset, int length) {
        return buffer.slice((int) offset, length);
    }

    @Override
    public void drop(long offset, long length) {
        zero(offset, length);
    }

    @Override
    public void zero(long offset, long length) {
        for (long done = 0; done < length; done += ZEROS.length) {
            buffer.put((int) (offset + done), ZEROS, 0, (int) Math.min(ZEROS.length, length - done));
        }
    }

    @Override
    public void unmap() {
        // Nothing to do: the garbage collector frees the pages, because slices may still refer to the buffer.
    }
}
