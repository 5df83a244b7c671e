package io.rocketbufs.memory;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Platform;
import com.kenai.jffi.Type;

/**
 * The readers of a pipe or socket that this process writes to. This class observes them with poll(2), because Java
 * provides no equivalent for a descriptor that the process has inherited. It belongs to this package, because no other
 * package of core calls the C library.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class PipeReaders {
    /** Length of {@code struct pollfd}: int descriptor, short requested events, short returned events. */
    private static final int POLLFD_LENGTH = 8;

    private static final int RETURNED_OFFSET = 6;
    private static final int POLLERR = 0x8;
    private static final int POLLHUP = 0x10;
    private static final int POLLNVAL = 0x20;
    private static final int EINTR = 4;

    private final int descriptor;
    private final long poll;
    private final CallContext context = CallContext.getCallContext(
            Type.SINT32, new Type[] {Type.SINT64, Type.SINT64, Type.SINT64}, CallingConvention.DEFAULT, true);

    /** The result of an observation. */
    public enum State {
        /** There is a reader, or the descriptor is neither a pipe nor a socket. */
        PRESENT,
        /** The last reader has closed the pipe, or the peer has closed the socket. */
        GONE,
        /** The descriptor is closed, or the system cannot observe it. */
        UNKNOWN
    }

    private PipeReaders(int descriptor, long poll) {
        this.descriptor = descriptor;
        this.poll = poll;
    }

    /**
     * Returns the readers of the pipe or socket with the given descriptor, or null if this system cannot observe them.
     */
    public static PipeReaders of(int descriptor) {
        try {
            boolean isLinux = Platform.getPlatform().getOS() == Platform.OS.LINUX;
            long poll = isLinux ? Library.getDefault().getSymbolAddress("poll") : 0;
            return poll == 0 ? null : new PipeReaders(descriptor, poll);
        } catch (LinkageError e) {
            return null;
        }
    }

    /** Waits until there is no reader, for at most {@code timeoutMs}. Returns early if a signal arrives. */
    public State awaitNone(int timeoutMs) {
        MemoryIO memory = MemoryIO.getInstance();
        long pollfd = memory.allocateMemory(POLLFD_LENGTH, true);
        try {
            memory.putInt(pollfd, descriptor);
            int count = (int) Invoker.getInstance().invokeN3(context, poll, pollfd, 1, timeoutMs);
            if (count < 0) {
                return LastError.getInstance().get() == EINTR ? State.PRESENT : State.UNKNOWN;
            }
            return state(memory.getShort(pollfd + RETURNED_OFFSET));
        } finally {
            memory.freeMemory(pollfd);
        }
    }

    private static State state(int returned) {
        if ((returned & POLLNVAL) != 0) {
            return State.UNKNOWN;
        }
        return (returned & (POLLERR | POLLHUP)) == 0 ? State.PRESENT : State.GONE;
    }
}
