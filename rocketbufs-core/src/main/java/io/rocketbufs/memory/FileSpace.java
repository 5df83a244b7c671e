package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Disk space for files, reserved with {@code fallocate}, which the JDK does not offer. Later writes into the space do
 * not fail because the disk is full, and need no new length to be stored.
 *
 * <p>{@code posix_fallocate} would be portable, but where the file system has no support it writes into the file, which
 * could overwrite what another thread writes at that moment.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
public final class FileSpace {
    private static final int WRITE_ONLY = 1;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NOT_SUPPORTED = 95;

    private FileSpace() {}

    /**
     * Reserves space for an existing file, and sets its length. Bytes that the file had keep their values; new ones
     * read as zero. If the system or the file system has no support for it, this does nothing.
     *
     * @param length new length in bytes; a longer file stays as it is
     * @throws IOException with the file and the system's reason, such as a full disk
     */
    public static void allocate(Path file, long length) throws IOException {
        if (Platform.getPlatform().getOS() != Platform.OS.LINUX) {
            return;
        }
        int descriptor = open(file);
        try {
            int result =
                    (int) Invoker.getInstance().invokeN4(integers(4), address("fallocate"), descriptor, 0, 0, length);
            int errno = LastError.getInstance().get();
            if (result != 0 && errno != NOT_SUPPORTED) {
                throw failure(file, errno);
            }
        } finally {
            Invoker.getInstance().invokeN1(integers(1), address("close"), descriptor);
        }
    }

    private static int open(Path file) throws IOException {
        byte[] name = file.toString().getBytes(StandardCharsets.UTF_8);
        MemoryIO memory = MemoryIO.getInstance();
        long copy = memory.allocateMemory(name.length + 1L, true);
        try {
            memory.putZeroTerminatedByteArray(copy, name, 0, name.length);
            int descriptor = (int)
                    Invoker.getInstance().invokeN3(integers(3), address("open"), copy, WRITE_ONLY | CLOSE_ON_EXEC, 0);
            if (descriptor < 0) {
                throw failure(file, LastError.getInstance().get());
            }
            return descriptor;
        } finally {
            memory.freeMemory(copy);
        }
    }

    private static IOException failure(Path file, int errno) {
        long text = Invoker.getInstance().invokeN1(integers(1), address("strerror"), errno);
        byte[] reason = MemoryIO.getInstance().getZeroTerminatedByteArray(text);
        return new FileSystemException(file.toString(), null, new String(reason, StandardCharsets.UTF_8));
    }

    private static long address(String function) {
        return Library.getDefault().getSymbolAddress(function);
    }

    private static CallContext integers(int parameterCount) {
        Type[] parameters = new Type[parameterCount];
        Arrays.fill(parameters, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, parameters, CallingConvention.DEFAULT, true);
    }
}
