package io.rocketbufs.rocketnet.shm;

import com.kenai.jffi.MemoryIO;
import io.rocketbufs.memory.CLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Calls to C library functions, and the Linux constants that this package uses. All arguments are integers or
 * addresses.
 *
 * <p><b>Thread-safety:</b> any thread may call these methods.
 */
final class ShmCalls {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int EINVAL = 22;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    /** The file would exceed the limit on the length of files. */
    static final int EFBIG = 27;

    static final int ENOSPC = 28;
    static final int EPIPE = 32;
    static final int ENOSYS = 38;
    static final int EPROTOTYPE = 91;
    static final int EADDRINUSE = 98;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ENOBUFS = 105;
    /** Too many of the user's descriptors are in packets that have not yet been received. */
    static final int ETOOMANYREFS = 109;

    static final int ECONNREFUSED = 111;

    private static final CLibrary LIBRARY = CLibrary.open();
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private final String name;
    private final long function;

    private ShmCalls(String name, long function) {
        this.name = name;
        this.function = function;
    }

    /**
     * Looks up a function of the C library.
     *
     * @throws io.rocketbufs.memory.MemoryException if the function does not exist
     */
    static ShmCalls of(String name) {
        return new ShmCalls(name, LIBRARY.function(name));
    }

    long call() {
        return LIBRARY.call(function);
    }

    long call(long a) {
        return LIBRARY.call(function, a);
    }

    long call(long a, long b) {
        return LIBRARY.call(function, a, b);
    }

    long call(long a, long b, long c) {
        return LIBRARY.call(function, a, b, c);
    }

    long call(long a, long b, long c, long d) {
        return LIBRARY.call(function, a, b, c, d);
    }

    long call(long a, long b, long c, long d, long e) {
        return LIBRARY.call(function, a, b, c, d, e);
    }

    long call(long a, long b, long c, long d, long e, long f) {
        return LIBRARY.call(function, a, b, c, d, e, f);
    }

    /**
     * Converts the result of a function that returns an {@code int}. For these functions, the upper half of
     * {@code result} is undefined.
     *
     * @throws ShmException if the result is negative
     */
    int check(long result) throws ShmException {
        if ((int) result < 0) {
            throw failure(errno());
        }
        return (int) result;
    }

    /** Returns the exception for a failure of this function with the given errno. */
    ShmException failure(int number) {
        return failure(name, number);
    }

    /** Returns the exception for a failed call, described by {@code what}. */
    static ShmException failure(String what, int number) {
        return new ShmException(what, number, LIBRARY.text(number));
    }

    /** Returns the errno of this thread's last call. */
    static int errno() {
        return LIBRARY.errno();
    }

    /** Returns a view of memory in native byte order. The view keeps no other object alive. */
    static ByteBuffer view(long address, int length) {
        return MEMORY.newDirectByteBuffer(address, length).order(ByteOrder.nativeOrder());
    }

    /** Returns the address of a direct buffer's first byte. */
    static long address(ByteBuffer direct) {
        return MEMORY.getDirectBufferAddress(direct);
    }

    /** Returns zeroed memory for a C structure, in native byte order. The memory lives as long as the buffer. */
    static ByteBuffer block(int length) {
        return ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
    }

    /** Returns a block that contains a zero-terminated string. */
    static ByteBuffer string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return block(bytes.length + 1).put(0, bytes);
    }

    /** Copies bytes between addresses. Words that are aligned on both sides are copied atomically. */
    static void copy(long from, long to, long length) {
        MEMORY.copyMemory(from, to, length);
    }

    /** Sets bytes to zero. */
    static void clear(long address, long length) {
        MEMORY.setMemory(address, length, (byte) 0);
    }

    /** Returns the 4 bytes at an address. */
    static int intAt(long address) {
        return MEMORY.getInt(address);
    }
}
