package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/**
 * The C library functions that this module uses, with one method per function.
 *
 * <p><b>Thread-safety:</b> any thread may call these methods.
 */
public final class Libc {
    /** The epoll event of a readable descriptor. */
    public static final int EPOLLIN = 1;

    private static final int EFD_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EINTR = 4;

    private static final class Holder {
        static final Libc INSTANCE = new Libc(Library.getDefault());
    }

    private final Library library;
    private final long environ;
    private final long malloc;
    private final long free;
    private final long strdup;
    private final long eventfd;
    private final long read;
    private final long write;
    private final long close;
    private final long epollCreate;
    private final long epollCtl;
    private final long epollWait;

    private Libc(Library library) {
        this.library = library;
        environ = symbol("environ");
        malloc = symbol("malloc");
        free = symbol("free");
        strdup = symbol("strdup");
        eventfd = symbol("eventfd");
        read = symbol("read");
        write = symbol("write");
        close = symbol("close");
        epollCreate = symbol("epoll_create1");
        epollCtl = symbol("epoll_ctl");
        epollWait = symbol("epoll_wait");
    }

    /** Returns the C library of this process. */
    public static Libc instance() {
        return Holder.INSTANCE;
    }

    private long symbol(String name) {
        long address = library.getSymbolAddress(name);
        if (address == 0) {
            throw new OfiUnavailableException(
                    name + " was not found in the C library: " + Library.getLastError(), null);
        }
        return address;
    }

    /**
     * Sets environment variables of this process, as seen by C code. Variables that are already set keep their values.
     *
     * <p>setenv() would free the array of variables while another thread may be reading it in getenv(), and a JVM
     * always has other threads. Therefore this method extends a copy of the array, publishes the copy with a single
     * store, and leaves the old array unchanged. If another thread calls setenv() concurrently, one of the two changes
     * may be lost, but there is no other effect.
     *
     * @param variables the variables, each in the form {@code NAME=value}
     */
    synchronized void addToEnvironment(String... variables) {
        long old = Native.pointerAt(environ);
        long count = 0;
        while (old != 0 && Native.pointerAt(old + count * Long.BYTES) != 0) {
            count++;
        }
        long copy = Native.call(malloc, (count + variables.length + 1) * Long.BYTES);
        long end = copy;
        for (long i = 0; i < count; i++, end += Long.BYTES) {
            Native.putLongAt(end, Native.pointerAt(old + i * Long.BYTES));
        }
        long unchanged = end;
        for (String variable : variables) {
            if (!contains(copy, end, variable.substring(0, variable.indexOf('=') + 1))) {
                Native.putLongAt(end, strdup(variable));
                end += Long.BYTES;
            }
        }
        Native.putLongAt(end, 0);
        if (end == unchanged) {
            Native.call(free, copy);
            return;
        }
        VarHandle.releaseFence();
        Native.putLongAt(environ, copy);
    }

    private static boolean contains(long from, long to, String prefix) {
        for (long at = from; at < to; at += Long.BYTES) {
            if (Native.stringAt(Native.pointerAt(at)).startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** Returns a copy of a string. The caller must release it with free(). */
    long strdup(String text) {
        NativeBlock block = NativeBlock.string(text);
        long copy = Native.call(strdup, block.address());
        Reference.reachabilityFence(block);
        return copy;
    }

    /** Returns a descriptor that becomes readable when 8 bytes are written to it. */
    public int eventfd() {
        return descriptor(Native.callKeepingErrno(eventfd, 0, EFD_NONBLOCK | EFD_CLOEXEC, 0, 0), "eventfd");
    }

    /** Reads from a descriptor into a block. Returns the number of bytes read, or -1 if there is nothing to read. */
    public long read(int descriptor, NativeBlock into) {
        return Native.call(read, descriptor, into.address(), into.length());
    }

    /** Writes a block to a descriptor. */
    public long write(int descriptor, NativeBlock from) {
        return Native.call(write, descriptor, from.address(), from.length());
    }

    /** Closes a descriptor. */
    public void close(int descriptor) {
        Native.call(close, descriptor);
    }

    /** Creates an epoll instance. */
    public int epollCreate() {
        return descriptor(Native.callKeepingErrno(epollCreate, EFD_CLOEXEC, 0, 0, 0), "epoll_create1");
    }

    /** Registers a descriptor, which is reported with the given number when it is readable. */
    public void epollAdd(int epoll, int descriptor, long number) {
        EpollEvents event = new EpollEvents(1);
        event.set(0, EPOLLIN, number);
        long result = Native.callKeepingErrno(epollCtl, epoll, EPOLL_CTL_ADD, descriptor, event.address());
        Reference.reachabilityFence(event);
        descriptor(result, "epoll_ctl");
    }

    /** Removes a descriptor's registration. */
    public void epollRemove(int epoll, int descriptor) {
        EpollEvents event = new EpollEvents(1);
        Native.call(epollCtl, epoll, EPOLL_CTL_DEL, descriptor, event.address());
        Reference.reachabilityFence(event);
    }

    /** Waits for events. Returns the number of events, or 0 after the timeout or a signal. */
    public int epollWait(int epoll, EpollEvents into, int timeoutMs) {
        int count = (int) Native.call(epollWait, epoll, into.address(), into.size(), timeoutMs);
        return Math.max(0, count);
    }

    private static int descriptor(long result, String call) {
        if ((int) result < 0) {
            int errno = Native.errno();
            throw new OfiException(call, errno, errno == EINTR ? "interrupted" : "failed");
        }
        return (int) result;
    }
}
