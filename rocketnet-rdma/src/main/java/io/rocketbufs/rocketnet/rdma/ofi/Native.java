package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.HeapInvocationBuffer;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Calls to C functions by address, with integer and pointer arguments only, and access to C memory.
 *
 * <p><b>Thread-safety:</b> any thread may call these methods. A call costs 5 to 8 ns and allocates nothing. On newer
 * JVMs, reading memory is slower than reading a direct buffer, so values that are read often are stored in a
 * {@link NativeBlock}.
 */
final class Native {
    private static final int MAX_PARAMETERS = 6;
    private static final Invoker INVOKER = Invoker.getInstance();
    private static final MemoryIO MEMORY = MemoryIO.getInstance();
    private static final CallContext[] CONTEXTS = new CallContext[MAX_PARAMETERS + 1];

    static {
        for (int count = 0; count <= MAX_PARAMETERS; count++) {
            CONTEXTS[count] = context(count, false);
        }
    }

    private Native() {}

    private static CallContext context(int parameterCount, boolean saveErrno) {
        Type[] parameters = new Type[parameterCount];
        Arrays.fill(parameters, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, saveErrno);
    }

    static long call(long function) {
        return INVOKER.invokeN0(CONTEXTS[0], function);
    }

    static long call(long function, long a) {
        return INVOKER.invokeN1(CONTEXTS[1], function, a);
    }

    static long call(long function, long a, long b) {
        return INVOKER.invokeN2(CONTEXTS[2], function, a, b);
    }

    static long call(long function, long a, long b, long c) {
        return INVOKER.invokeN3(CONTEXTS[3], function, a, b, c);
    }

    static long call(long function, long a, long b, long c, long d) {
        return INVOKER.invokeN4(CONTEXTS[4], function, a, b, c, d);
    }

    static long call(long function, long a, long b, long c, long d, long e) {
        return INVOKER.invokeN5(CONTEXTS[5], function, a, b, c, d, e);
    }

    static long call(long function, long a, long b, long c, long d, long e, long f) {
        return INVOKER.invokeN6(CONTEXTS[6], function, a, b, c, d, e, f);
    }

    /**
     * A call with constant arguments. The arguments are stored in advance, so a call can have any number of them and
     * still allocates no memory.
     */
    static final class FixedCall {
        private final CallContext context;
        private final HeapInvocationBuffer arguments;
        private final long function;

        FixedCall(long function, long... arguments) {
            this.function = function;
            context = context(arguments.length, false);
            this.arguments = new HeapInvocationBuffer(context);
            for (long argument : arguments) {
                this.arguments.putLong(argument);
            }
        }

        /** Calls the function. A call takes about 150 ns. */
        long call() {
            return INVOKER.invokeLong(context, function, arguments);
        }
    }

    /** Calls a C library function and saves its errno for {@link #errno()}. */
    static long callKeepingErrno(long function, long a, long b, long c, long d) {
        return INVOKER.invokeN4(context(4, true), function, a, b, c, d);
    }

    /** Returns the errno of this thread's last {@link #callKeepingErrno}. */
    static int errno() {
        return LastError.getInstance().get();
    }

    /** Returns the pointer stored at an address. */
    static long pointerAt(long address) {
        return MEMORY.getLong(address);
    }

    static long longAt(long address) {
        return MEMORY.getLong(address);
    }

    static int intAt(long address) {
        return MEMORY.getInt(address);
    }

    static void putLongAt(long address, long value) {
        MEMORY.putLong(address, value);
    }

    static void putIntAt(long address, int value) {
        MEMORY.putInt(address, value);
    }

    static byte[] bytesAt(long address, int length) {
        byte[] bytes = new byte[length];
        MEMORY.getByteArray(address, bytes, 0, length);
        return bytes;
    }

    /** Returns the C string at an address, or an empty string for a null pointer. */
    static String stringAt(long address) {
        return address == 0 ? "" : new String(MEMORY.getZeroTerminatedByteArray(address), StandardCharsets.UTF_8);
    }

    static long addressOf(ByteBuffer direct) {
        return MEMORY.getDirectBufferAddress(direct);
    }

    /** Returns the address of a function, or 0 if the library does not contain it. */
    static long symbol(Library library, String name) {
        return library.getSymbolAddress(name);
    }
}
