package io.rocketbufs.rocketnet.rdma.ofi;

import com.kenai.jffi.Library;
import java.lang.ref.Reference;

/**
 * The calls of the C library in use, one method each.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class Libc {
    /** epoll: something can be read. */
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
    private final long setenv;
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
        setenv = symbol("setenv");
        strdup = symbol("strdup");
        eventfd = symbol("eventfd");
        read = symbol("read");
        write = symbol("write");
        close = symbol("close");
        epollCreate = symbol("epoll_create1");
        epollCtl = symbol("epoll_ctl");
        epollWait = symbol("epoll_wait");
    }

    /** The C library of this process. */
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

    /** Sets an environment variable of this process, as C sees it, unless it is set. */
    void setenv(String name, String value) {
        NativeBlock nameText = NativeBlock.string(name);
        NativeBlock valueText = NativeBlock.string(value);
        Native.call(setenv, nameText.address(), valueText.address(), 0);
        Reference.reachabilityFence(nameText);
        Reference.reachabilityFence(valueText);
    }

    /** A copy of a text that free() may free. */
    long strdup(String text) {
        NativeBlock block = NativeBlock.string(text);
        long copy = Native.call(strdup, block.address());
        Reference.reachabilityFence(block);
        return copy;
    }

    /** A descriptor that becomes readable by a write of 8 bytes. */
    public int eventfd() {
        return descriptor(Native.callKeepingErrno(eventfd, 0, EFD_NONBLOCK | EFD_CLOEXEC, 0, 0), "eventfd");
    }

    /** Reads; -1 when there is nothing. */
    public long read(int descriptor, NativeBlock into) {
        return Native.call(read, descriptor, into.address(), into.length());
    }

    /** Writes a block. */
    public long write(int descriptor, NativeBlock from) {
        return Native.call(write, descriptor, from.address(), from.length());
    }

    /** Closes a descriptor. */
    public void close(int descriptor) {
        Native.call(close, descriptor);
    }

    /** Makes an epoll instance. */
    public int epollCreate() {
        return descriptor(Native.callKeepingErrno(epollCreate, EFD_CLOEXEC, 0, 0, 0), "epoll_create1");
    }

    /** Watches a descriptor for reading, under a number. */
    public void epollAdd(int epoll, int descriptor, long number) {
        EpollEvents event = new EpollEvents(1);
        event.set(0, EPOLLIN, number);
        long result = Native.callKeepingErrno(epollCtl, epoll, EPOLL_CTL_ADD, descriptor, event.address());
        Reference.reachabilityFence(event);
        descriptor(result, "epoll_ctl");
    }

    /** Watches a descriptor no more. */
    public void epollRemove(int epoll, int descriptor) {
        EpollEvents event = new EpollEvents(1);
        Native.call(epollCtl, epoll, EPOLL_CTL_DEL, descriptor, event.address());
        Reference.reachabilityFence(event);
    }

    /** Waits; how many events there are, 0 after the time or a signal. */
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
