package io.rocketbufs.rocketnet.rdma.ofi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A block of memory for C structures and arguments, in native byte order. It is initially zero.
 *
 * <p><b>Thread-safety:</b> not thread-safe. <b>Ownership:</b> the memory lives as long as this object; a caller that
 * passes the address on must keep this object reachable.
 */
public final class NativeBlock {
    /**
     * Alignment of a block in bytes. It is sufficient for every structure, and places each block in its own cache
     * lines.
     */
    private static final int ALIGNMENT = 64;

    private final ByteBuffer bytes;
    private final long address;

    /** Allocates a block of the given length in bytes. */
    public NativeBlock(int length) {
        ByteBuffer whole = ByteBuffer.allocateDirect(length + ALIGNMENT);
        int offset = whole.alignmentOffset(0, ALIGNMENT) == 0 ? 0 : ALIGNMENT - whole.alignmentOffset(0, ALIGNMENT);
        this.bytes = whole.slice(offset, length).order(ByteOrder.nativeOrder());
        this.address = Native.addressOf(whole) + offset;
    }

    /** Returns a block with a zero-terminated string. */
    public static NativeBlock string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        NativeBlock block = new NativeBlock(utf8.length + 1);
        block.bytes.put(0, utf8);
        return block;
    }

    /** Returns the address of the first byte. */
    public long address() {
        return address;
    }

    /** Returns the length of the block in bytes. */
    public int length() {
        return bytes.capacity();
    }

    /**
     * Returns the block as a buffer in native byte order. All calls return the same object, so callers must access it
     * only with absolute offsets.
     */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Reads 8 bytes. */
    public long getLong(int offset) {
        return bytes.getLong(offset);
    }

    /** Reads 4 bytes. */
    public int getInt(int offset) {
        return bytes.getInt(offset);
    }

    /** Writes 8 bytes. */
    public NativeBlock putLong(int offset, long value) {
        bytes.putLong(offset, value);
        return this;
    }

    /** Writes 4 bytes. */
    public NativeBlock putInt(int offset, int value) {
        bytes.putInt(offset, value);
        return this;
    }

    /** Sets all bytes to zero. */
    public NativeBlock clear() {
        for (int i = 0; i < bytes.capacity(); i++) {
            bytes.put(i, (byte) 0);
        }
        return this;
    }
}
