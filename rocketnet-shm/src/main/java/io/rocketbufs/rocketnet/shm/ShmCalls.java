package io.rocketbufs.rocketnet.shm;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Calls of the C library's functions, and the numbers of Linux that this package uses. All arguments are integers or
 * addresses.
 *
 * <p><b>Thread-safety:</b> any thread.
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
    static final int ENOSPC = 28;
    static final int EPIPE = 32;
    static final int ENOSYS = 38;
    static final int EPROTOTYPE = 91;
    static final int EADDRINUSE = 98;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ENOBUFS = 105;
    static final int ECONNREFUSED = 111;

    private static final int MAX_PARAMETERS = 6;
    private static final Invoker INVOKER = Invoker.getInstance();
    private static final MemoryIO MEMORY = MemoryIO.getInstance();
    private static final CallContext[] CONTEXTS = new CallContext[MAX_PARAMETERS + 1];

    static {
        for (int count = 0; count <= MAX_PARAMETERS; count++) {
            Type[] parameters = new Type[count];
            Arrays.fill(parameters, Type.SINT64);
            CONTEXTS[count] = CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, true);
        }
    }

    private final String name;
    private final long function;

    private ShmCalls(String name, long function) {
        this.name = name;
        this.function = function;
    }

    /**
     * Looks up a function of the C library.
     *
     * @throws UnsatisfiedLinkError if it does not exist
     */
    static ShmCalls of(String name) {
        long function = Library.getDefault().getSymbolAddress(name);
        if (function == 0) {
            throw new UnsatisfiedLinkError(name + " was not found in the C library");
        }
        return new ShmCalls(name, function);
    }

    /** Returns true when the numbers in this package apply to this system. */
    static boolean isKnownSystem() {
        Platform platform = Platform.getPlatform();
        return platform.getOS() == Platform.OS.LINUX
                && (platform.getCPU() == Platform.CPU.X86_64 || platform.getCPU() == Platform.CPU.AARCH64);
    }

    long call() {
        return INVOKER.invokeN0(CONTEXTS[0], function);
    }

    long call(long a) {
        return INVOKER.invokeN1(CONTEXTS[1], function, a);
    }

    long call(long a, long b) {
        return INVOKER.invokeN2(CONTEXTS[2], function, a, b);
    }

    long call(long a, long b, long c) {
        return INVOKER.invokeN3(CONTEXTS[3], function, a, b, c);
    }

    long call(long a, long b, long c, long d) {
        return INVOKER.invokeN4(CONTEXTS[4], function, a, b, c, d);
    }

    long call(long a, long b, long c, long d, long e) {
        return INVOKER.invokeN5(CONTEXTS[5], function, a, b, c, d, e);
    }

    long call(long a, long b, long c, long d, long e, long f) {
        return INVOKER.invokeN6(CONTEXTS[6], function, a, b, c, d, e, f);
    }

    /**
     * Returns the result of a call that returns an {@code int}, whose upper half is undefined.
     *
     * @throws ShmException if the result is negative
     */
    int check(long result) throws ShmException {
        if ((int) result < 0) {
            throw failure(errno());
        }
        return (int) result;
    }

    /** Returns the failure of this function with the given errno. */
    ShmException failure(int number) {
        return new ShmException(name, number, text(number));
    }

    /** Returns the errno of this thread's last call. */
    static int errno() {
        return LastError.getInstance().get();
    }

    private static String text(int number) {
        long text = ShmCalls.of("strerror").call(number);
        return new String(MEMORY.getZeroTerminatedByteArray(text), StandardCharsets.UTF_8);
    }

    /** Returns a view of memory in native byte order. It keeps no other object alive. */
    static ByteBuffer view(long address, int length) {
        return MEMORY.newDirectByteBuffer(address, length).order(ByteOrder.nativeOrder());
    }

    /** Returns the address of a direct buffer's first byte. */
    static long address(ByteBuffer direct) {
        return MEMORY.getDirectBufferAddress(direct);
    }

    /** Returns zeroed memory for a C structure, in native byte order, which lives as long as the buffer. */
    static ByteBuffer block(int length) {
        return ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
    }

    /** Returns a block that contains a zero-terminated string. */
    static ByteBuffer string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return block(bytes.length + 1).put(0, bytes);
    }

    /** Returns the 4 bytes at an address. */
    static int intAt(long address) {
        return MEMORY.getInt(address);
    }
}
