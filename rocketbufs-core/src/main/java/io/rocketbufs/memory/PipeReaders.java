package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;

/**
 * The readers of a pipe to which this process writes, observed with poll(2), which Java offers for sockets only. It is
 * in this package because no other one of the framework calls the C library.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class PipeReaders {
    /** {@code struct pollfd}: int descriptor, short requested events, short returned events. */
    private static final int POLLFD_LENGTH = 8;

    private static final int RETURNED_OFFSET = 6;
    private static final short POLLERR = 8;

    private final int descriptor;
    private final long poll;
    private final CallContext context = CallContext.getCallContext(
            Type.SINT32, new Type[] {Type.SINT64, Type.SINT64, Type.SINT64}, CallingConvention.DEFAULT, true);

    private PipeReaders(int descriptor, long poll) {
        this.descriptor = descriptor;
        this.poll = poll;
    }

    /** Returns the readers of the pipe with the given descriptor, or null if this system cannot observe them. */
    public static PipeReaders of(int descriptor) {
        try {
            boolean isLinux = Platform.getPlatform().getOS() == Platform.OS.LINUX;
            long poll = isLinux ? Library.getDefault().getSymbolAddress("poll") : 0;
            return poll == 0 ? null : new PipeReaders(descriptor, poll);
        } catch (LinkageError e) {
            return null;
        }
    }

    /**
     * Waits until the pipe has no reader, for at most {@code timeoutMs}. Returns true when it has none, and false when
     * it has one or the descriptor is no pipe.
     */
    public boolean awaitNone(int timeoutMs) {
        MemoryIO memory = MemoryIO.getInstance();
        long pollfd = memory.allocateMemory(POLLFD_LENGTH, true);
        try {
            memory.putInt(pollfd, descriptor);
            Invoker.getInstance().invokeN3(context, poll, pollfd, 1, timeoutMs);
            return (memory.getShort(pollfd + RETURNED_OFFSET) & POLLERR) != 0;
        } finally {
            memory.freeMemory(pollfd);
        }
    }
}
