package io.rocketbufs.rocketnet.rdma.ofi;

/**
 * The constants of libfabric's headers that this module uses, under their original names.
 *
 * <p>A test compares the constants with the installed headers.
 */
public final class OfiConstants {
    // fabric.h: capabilities and flags of operations
    public static final long FI_MSG = 1L << 1;
    public static final long FI_RMA = 1L << 2;
    public static final long FI_ATOMIC = 1L << 4;
    public static final long FI_READ = 1L << 8;
    public static final long FI_WRITE = 1L << 9;
    public static final long FI_RECV = 1L << 10;
    public static final long FI_SEND = 1L << 11;
    public static final long FI_REMOTE_READ = 1L << 12;
    public static final long FI_REMOTE_WRITE = 1L << 13;
    public static final long FI_REMOTE_CQ_DATA = 1L << 17;
    public static final long FI_ORDER_WAW = 1L << 4;
    public static final long FI_ORDER_RMA_WAW = 1L << 35;
    public static final long FI_COMPLETION = 1L << 24;
    public static final long FI_INJECT = 1L << 25;
    public static final long FI_NUMERICHOST = 1L << 55;
    public static final long FI_SOURCE = 1L << 57;
    public static final long FI_SELECTIVE_COMPLETION = 1L << 59;
    /** The mode in which a write with immediate data uses up a receive. */
    public static final long FI_RX_CQ_DATA = 1L << 56;

    // fabric.h: a provider's requirements for memory
    public static final int FI_MR_LOCAL = 1 << 2;
    public static final int FI_MR_VIRT_ADDR = 1 << 4;
    public static final int FI_MR_ALLOCATED = 1 << 5;
    public static final int FI_MR_PROV_KEY = 1 << 6;

    // fabric.h: enums
    public static final int FI_EP_MSG = 1;
    public static final int FI_THREAD_SAFE = 1;
    public static final int FI_GETWAIT = 5;
    public static final int FI_ENABLE = 6;

    // fabric.h: atomic operations and their data type
    public static final int FI_UINT64 = 7;
    public static final int FI_SUM = 2;
    public static final int FI_CSWAP = 12;

    // fi_eq.h
    public static final int FI_WAIT_FD = 3;
    public static final int FI_CQ_FORMAT_DATA = 3;
    public static final int FI_CONNREQ = 1;
    public static final int FI_CONNECTED = 2;
    public static final int FI_SHUTDOWN = 3;

    // fi_errno.h, and errno.h for numbers that fi_errno.h does not define
    public static final int EPERM = 1;
    public static final int FI_EIO = 5;
    public static final int FI_EAGAIN = 11;
    public static final int FI_ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int FI_ENODEV = 19;
    public static final int ENFILE = 23;
    public static final int FI_EMFILE = 24;
    public static final int FI_ENOSPC = 28;
    public static final int EPIPE = 32;
    public static final int FI_ENODATA = 61;
    public static final int FI_EADDRINUSE = 98;
    public static final int FI_EADDRNOTAVAIL = 99;
    public static final int FI_ENETDOWN = 100;
    public static final int FI_ENETUNREACH = 101;
    public static final int FI_ECONNABORTED = 103;
    public static final int FI_ECONNRESET = 104;
    public static final int FI_ENOTCONN = 107;
    public static final int FI_ETIMEDOUT = 110;
    public static final int FI_ECONNREFUSED = 111;
    public static final int FI_EHOSTUNREACH = 113;
    public static final int FI_ECANCELED = 125;
    public static final int FI_EAVAIL = 259;
    public static final int FI_ENOKEY = 266;

    private OfiConstants() {}
}
