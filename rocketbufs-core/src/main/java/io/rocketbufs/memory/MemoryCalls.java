package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.PageManager;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The memory functions of the C library, one method for each, called through jffi.
 *
 * <p><i>Thread-safety:</i> any thread.
 *
 * <p>This class uses jffi's {@code invokeN…} rather than a jnr-ffi interface: mmap has six integer parameters, and on
 * x86-64 jnr-ffi 2.2 passes garbage as the sixth argument of an interface method.
 */
final class MemoryCalls {
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MADV_DONTNEED = 4;
    private static final long MAP_FAILED = -1;

    private final Invoker invoker = Invoker.getInstance();
    private final MemoryIO memory = MemoryIO.getInstance();
    private final Library library;
    private final long mmap;
    private final long munmap;
    private final long madvise;
    private final long memset;
    private final long strerror;

    private MemoryCalls(Library library) {
        this.library = library;
        this.mmap = symbol("mmap");
        this.munmap = symbol("munmap");
        this.madvise = symbol("madvise");
        this.memset = symbol("memset");
        this.strerror = symbol("strerror");
    }

    /**
     * Looks up the functions in the C library.
     *
     * @throws LinkageError if jffi or its native part cannot be loaded
     * @throws MemoryException if the constants above do not apply to this system, or a function is missing
     */
    static MemoryCalls load() {
        Platform platform = Platform.getPlatform();
        boolean known = platform.getOS() == Platform.OS.LINUX
                && (platform.getCPU() == Platform.CPU.X86_64 || platform.getCPU() == Platform.CPU.AARCH64);
        if (!known) {
            throw new MemoryException(
                    "mmap's flags are not known for " + platform.getOS() + " on " + platform.getCPU());
        }
        return new MemoryCalls(Library.getDefault());
    }

    private long symbol(String name) {
        long address = library.getSymbolAddress(name);
        if (address == 0) {
            throw new MemoryException(name + " was not found in the C library: " + Library.getLastError());
        }
        return address;
    }

    long pageLength() {
        return PageManager.getInstance().pageSize();
    }

    /**
     * Reserves private anonymous pages, each committed when first touched. If the system refuses, throws an exception
     * with the reason.
     */
    long mmap(long length) {
        long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        long address =
                invoker.invokeN6(integers(6), mmap, 0, length, PROT_READ | PROT_WRITE, flags, -1 /* no file */, 0);
        if (address == MAP_FAILED) {
            int errno = LastError.getInstance().get();
            throw new MemoryException("mmap: " + text(errno) + " (errno " + errno
                    + "); check the limits ulimit -v, vm.max_map_count and vm.overcommit_memory");
        }
        return address;
    }

    void munmap(long address, long length) {
        invoker.invokeN2(integers(2), munmap, address, length);
    }

    /**
     * Returns the physical pages of a range to the system; the range then reads as zero. Returns false if the system
     * refuses.
     */
    boolean dontNeed(long address, long length) {
        return (int) invoker.invokeN3(integers(3), madvise, address, length, MADV_DONTNEED) == 0;
    }

    void zero(long address, long length) {
        invoker.invokeN3(integers(3), memset, address, 0, length);
    }

    /** Returns a new direct buffer over the given memory. The buffer keeps no other object alive. */
    ByteBuffer view(long address, int length) {
        return memory.newDirectByteBuffer(address, length);
    }

    private String text(int errno) {
        long text = invoker.invokeN1(integers(1), strerror, errno);
        return new String(memory.getZeroTerminatedByteArray(text), StandardCharsets.UTF_8);
    }

    /**
     * Returns the context of a call with integer parameters, which jffi caches. It saves errno right after the call,
     * before the JVM can make another call on this thread.
     */
    private static CallContext integers(int parameterCount) {
        Type[] parameters = new Type[parameterCount];
        Arrays.fill(parameters, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, true);
    }
}
