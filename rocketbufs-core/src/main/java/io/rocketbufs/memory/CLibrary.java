package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The C library of this process, accessed through jffi. Looks up functions, and calls those whose parameters and
 * results are integers or addresses. A call allocates nothing. For a function that returns an {@code int}, only the
 * lower half of the result is defined.
 *
 * <p><i>Thread-safety:</i> any thread.
 *
 * <p>This class uses jffi's {@code invokeN…} rather than a jnr-ffi interface. The reason is that mmap has six integer
 * parameters, and on x86-64 jnr-ffi 2.2 passes garbage as the sixth argument of an interface method.
 */
public final class CLibrary {
    private static final int MAX_PARAMETERS = 6;

    private final Invoker invoker = Invoker.getInstance();
    private final MemoryIO memory = MemoryIO.getInstance();
    private final Library library;
    private final long describe;
    /** The call contexts, indexed by the number of parameters. */
    private final CallContext[] contexts = new CallContext[MAX_PARAMETERS + 1];

    private CLibrary(Library library) {
        this.library = library;
        for (int i = 0; i <= MAX_PARAMETERS; i++) {
            contexts[i] = integers(i);
        }
        // The text of strerror depends on the locale, which the JVM sets. glibc 2.32 added a locale-independent
        // function.
        long english = library.getSymbolAddress("strerrordesc_np");
        this.describe = english != 0 ? english : function("strerror");
    }

    /**
     * Opens the C library.
     *
     * @throws LinkageError if jffi or its native part cannot be loaded
     * @throws MemoryException if this project's Linux constants do not apply to this system, or a function is missing
     */
    public static CLibrary open() {
        if (!isSupported()) {
            Platform platform = Platform.getPlatform();
            throw new MemoryException("mmap's flags are unknown for " + platform.getOS() + " on " + platform.getCPU());
        }
        return new CLibrary(Library.getDefault());
    }

    /** Returns true if this project's Linux constants apply to this system. */
    public static boolean isSupported() {
        Platform platform = Platform.getPlatform();
        return platform.getOS() == Platform.OS.LINUX
                && (platform.getCPU() == Platform.CPU.X86_64 || platform.getCPU() == Platform.CPU.AARCH64);
    }

    /**
     * Returns the address of a function.
     *
     * @throws MemoryException if the library has no such function
     */
    public long function(String name) {
        long address = library.getSymbolAddress(name);
        if (address == 0) {
            throw new MemoryException(name + " was not found in the C library: " + Library.getLastError());
        }
        return address;
    }

    public long call(long function) {
        return invoker.invokeN0(contexts[0], function);
    }

    public long call(long function, long a) {
        return invoker.invokeN1(contexts[1], function, a);
    }

    public long call(long function, long a, long b) {
        return invoker.invokeN2(contexts[2], function, a, b);
    }

    public long call(long function, long a, long b, long c) {
        return invoker.invokeN3(contexts[3], function, a, b, c);
    }

    public long call(long function, long a, long b, long c, long d) {
        return invoker.invokeN4(contexts[4], function, a, b, c, d);
    }

    public long call(long function, long a, long b, long c, long d, long e) {
        return invoker.invokeN5(contexts[5], function, a, b, c, d, e);
    }

    public long call(long function, long a, long b, long c, long d, long e, long f) {
        return invoker.invokeN6(contexts[6], function, a, b, c, d, e, f);
    }

    /** Calls a function whose first argument is a string. The bytes must not contain 0. */
    long call(long function, byte[] string, long b, long c) {
        long copy = memory.allocateMemory(string.length + 1L, false);
        try {
            memory.putZeroTerminatedByteArray(copy, string, 0, string.length);
            return call(function, copy, b, c);
        } finally {
            memory.freeMemory(copy);
        }
    }

    /** Returns the error number of the last call made on this thread. */
    public int errno() {
        return LastError.getInstance().get();
    }

    /** Returns an error number as text: {@code No space left on device (errno 28)}. */
    public String text(int errno) {
        long text = call(describe, errno);
        String described = text == 0
                ? "unknown error"
                : new String(memory.getZeroTerminatedByteArray(text), StandardCharsets.UTF_8);
        return described + " (errno " + errno + ")";
    }

    /**
     * Returns the context for a call with integer parameters. The context saves errno immediately after the call,
     * before the JVM can make another call on this thread.
     */
    private static CallContext integers(int parameterCount) {
        Type[] parameters = new Type[parameterCount];
        Arrays.fill(parameters, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, true);
    }
}
